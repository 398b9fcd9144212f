import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A company and its employees. Two workers, each with code of its own, hire people, list them, ask for a salary, and one of them
 * changes one.
 *
 * After Figure 1 of Parízek and Lhoták, "Model Checking of Concurrent Programs with Static Analysis of Field Accesses" (2014),
 * written from what is said of it there. The figure has data races: on the list, and on a salary. Here the list is one that threads
 * may share, {@code salary} is volatile, and to hire somebody is synchronized, so that no two employees have the same index.
 *
 * Shared by both workers: the company, its list, and all employees in it.
 * {@code Company.employees}, {@code Employee.name} and {@code Employee.index} are never written once another thread can see their
 * object, though none of them is final. {@code Employee.salary} is: the first worker sets it, the second one reads it.
 */
public class Figure1 {
    static class Employee {
        String name;
        volatile int salary;
        long index;

        Employee(String name, int salary) {
            this.name = name;
            this.salary = salary;
        }
    }

    static class Company {
        List<Employee> employees = new CopyOnWriteArrayList<>();

        void add(String name, int salary) {
            Employee employee = new Employee(name, salary);
            add(employee);
        }

        /** Gives an employee the next index. Only then can others see him. */
        synchronized void add(Employee employee) {
            employee.index = employees.size();
            employees.add(employee);
        }

        /** A line for each employee. */
        String list() {
            StringBuilder lines = new StringBuilder();
            for (Employee employee : employees) {
                lines.append(employee.index).append(':').append(employee.name).append('\n');
            }
            return lines.toString();
        }

        void setSalary(long index, int salary) {
            for (Employee employee : employees) {
                if (employee.index == index) {
                    employee.salary = salary;
                }
            }
        }

        int getSalary(String name) {
            for (Employee employee : employees) {
                if (employee.name.equals(name)) {
                    return employee.salary;
                }
            }
            throw new IllegalArgumentException(name + " does not work here");
        }
    }

    static class FirstWorker extends Thread {
        private Company company;

        FirstWorker(Company company) {
            this.company = company;
        }

        @Override
        public void run() {
            company.add("david", 115);
            company.list();
            int salary = company.getSalary("john");
            assert salary == 100 : "nobody changes what john gets";
            company.setSalary(1, 150);
            String list = company.list();
            assert list.startsWith("0:john\n1:paul\n") && list.contains(":david\n") : list;
        }
    }

    static class SecondWorker extends Thread {
        private Company company;

        SecondWorker(Company company) {
            this.company = company;
        }

        @Override
        public void run() {
            int salary = company.getSalary("paul");
            assert salary == 120 || salary == 150 : "neither the old nor the new salary";
            company.add("mark", 80);
            String list = company.list();
            assert list.startsWith("0:john\n1:paul\n") && list.contains(":mark\n") : list;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Company company = new Company();
        company.add("john", 100);
        company.add(new Employee("paul", 120));
        Thread first = new FirstWorker(company);
        Thread second = new SecondWorker(company);
        first.start();
        second.start();
        first.join();
        second.join();
        assert company.getSalary("paul") == 150 : "the new salary is lost";
        assert company.employees.size() == 4 : "somebody is missing";
        long index = 0;
        for (Employee employee : company.employees) {
            assert employee.index == index : "an index is missing, or there twice";
            index++;
        }
        System.out.println(company.employees.size() + " employees");
    }
}
