/**
 * A small file system. A disk is a row of cells, which hold the inodes, a map of the blocks that are in use, and the blocks. On top
 * of it are files, which are inodes with blocks, and one directory, a file with names and inodes in it. Two clients create, write,
 * read and remove files.
 *
 * After "Daisy", section 8.2 of Parízek and Lhoták, "Model Checking of Concurrent Programs with Static Analysis of Field Accesses"
 * (2014): Daisy.java with four mistakes in it, of the kinds that its authors put there for others to find.
 *
 * 1. The disk moves its head and then reads or writes, each under its monitor, but not both at once.
 * 2. Blocks are given out without the lock of the map of blocks, so two files may get the same one.
 * 3. {@code create} looks whether there is a file of that name before it has the directory's lock, so there may be two.
 * 4. {@code remove} takes the locks of the file and of the directory in the other order, so it may deadlock with {@code open}.
 *
 * What is shared, and the order of locks, is as there, but for the mistakes.
 *
 * Arguments: the mistake to make (all of them), the number of files that each client writes besides the common one (1), and of cells
 * that it writes to each (1).
 */
public class DaisyBroken {
    private static int mistake;

    /** Whether the program is to make a mistake. Set before there are other threads. */
    private static boolean has(int number) {
        return mistake == 0 || mistake == number;
    }

    /** A disk that has a head. */
    static class Disk {
        private final int[] cells;
        private int head;

        Disk(int size) {
            cells = new int[size];
        }

        private synchronized void seek(int address) {
            head = address;
        }

        private synchronized int read() {
            return cells[head];
        }

        private synchronized void write(int value) {
            cells[head] = value;
        }

        int read(int address) {
            if (has(1)) {
                seek(address);
                return read();
            }
            synchronized (this) {
                seek(address);
                return read();
            }
        }

        void write(int address, int value) {
            if (has(1)) {
                seek(address);
                write(value);
                return;
            }
            synchronized (this) {
                seek(address);
                write(value);
            }
        }
    }

    /** A lock that is held from one method call to another. */
    static class Mutex {
        private Thread owner;

        synchronized void acquire() {
            while (owner != null) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new AssertionError("nobody interrupts", e);
                }
            }
            owner = Thread.currentThread();
        }

        synchronized void release() {
            assert owner == Thread.currentThread() : "not the owner";
            owner = null;
            notify();
        }
    }

    /** The locks, by number. The array never changes. */
    static class LockManager {
        static final int INODES = 0;
        static final int BLOCKS = 1;
        private static final int FIRST_INODE = 2;

        private final Mutex[] locks;

        LockManager(int inodes) {
            locks = new Mutex[FIRST_INODE + inodes];
            for (int i = 0; i < locks.length; i++) {
                locks[i] = new Mutex();
            }
        }

        static int ofInode(int inode) {
            return FIRST_INODE + inode;
        }

        void acquire(int lock) {
            locks[lock].acquire();
        }

        void release(int lock) {
            locks[lock].release();
        }
    }

    /** Where everything is on the disk. Never changes. */
    record Layout(int inodes, int blocks, int blockSize) {
        /** How many blocks a file can have. */
        static final int BLOCKS_PER_FILE = 2;

        /** The cells of an inode: whether it is used, how often it was, its size, its blocks. */
        private static final int INODE_CELLS = 3 + BLOCKS_PER_FILE;

        int isUsed(int inode) {
            return inode * INODE_CELLS;
        }

        int generation(int inode) {
            return inode * INODE_CELLS + 1;
        }

        int size(int inode) {
            return inode * INODE_CELLS + 2;
        }

        /** Where an inode has the number of its block. 0 stands for none. */
        int block(int inode, int index) {
            assert index < BLOCKS_PER_FILE : "the file is too large";
            return inode * INODE_CELLS + 3 + index;
        }

        /** Where the map says whether a block is used. Blocks have numbers from 1. */
        int isBlockUsed(int block) {
            return inodes * INODE_CELLS + block - 1;
        }

        int cell(int block, int index) {
            return inodes * INODE_CELLS + blocks + (block - 1) * blockSize + index;
        }

        int end() {
            return cell(blocks + 1, 0);
        }
    }

    /** Gives out inodes and blocks. */
    static class Allocator {
        private final Disk disk;
        private final Layout layout;
        private final LockManager locks;

        Allocator(Disk disk, Layout layout, LockManager locks) {
            this.disk = disk;
            this.layout = layout;
            this.locks = locks;
        }

        /** An inode that was not used, with a new generation and without blocks. */
        int allocateInode() {
            locks.acquire(LockManager.INODES);
            int inode = 0;
            while (disk.read(layout.isUsed(inode)) != 0) {
                inode++;
                assert inode < layout.inodes() : "no inode is left";
            }
            disk.write(layout.isUsed(inode), 1);
            disk.write(layout.generation(inode), disk.read(layout.generation(inode)) + 1);
            locks.release(LockManager.INODES);
            return inode;
        }

        /** Gives an inode back with its blocks. The caller has its lock. */
        void freeInode(int inode) {
            for (int i = 0; i < Layout.BLOCKS_PER_FILE; i++) {
                int block = disk.read(layout.block(inode, i));
                if (block != 0) {
                    disk.write(layout.block(inode, i), 0);
                    freeBlock(block);
                }
            }
            disk.write(layout.size(inode), 0);
            locks.acquire(LockManager.INODES);
            disk.write(layout.isUsed(inode), 0);
            locks.release(LockManager.INODES);
        }

        int allocateBlock() {
            if (!has(2)) {
                locks.acquire(LockManager.BLOCKS);
            }
            int block = 1;
            while (disk.read(layout.isBlockUsed(block)) != 0) {
                block++;
                assert block <= layout.blocks() : "no block is left";
            }
            disk.write(layout.isBlockUsed(block), 1);
            if (!has(2)) {
                locks.release(LockManager.BLOCKS);
            }
            return block;
        }

        private void freeBlock(int block) {
            locks.acquire(LockManager.BLOCKS);
            disk.write(layout.isBlockUsed(block), 0);
            locks.release(LockManager.BLOCKS);
        }
    }

    /** The cells of a file, by its inode. The caller of each method has the inode's lock. */
    static class Files {
        private final Disk disk;
        private final Layout layout;
        private final Allocator allocator;

        Files(Disk disk, Layout layout, Allocator allocator) {
            this.disk = disk;
            this.layout = layout;
            this.allocator = allocator;
        }

        int size(int inode) {
            return disk.read(layout.size(inode));
        }

        private int address(int inode, int offset) {
            int block = disk.read(layout.block(inode, offset / layout.blockSize()));
            assert block != 0 : "beyond the end";
            return layout.cell(block, offset % layout.blockSize());
        }

        int read(int inode, int offset) {
            return disk.read(address(inode, offset));
        }

        /** Writes a cell. Just beyond the end, the file grows. */
        void write(int inode, int offset, int value) {
            int size = size(inode);
            assert offset <= size : "a hole";
            if (offset == size) {
                int place = layout.block(inode, offset / layout.blockSize());
                if (disk.read(place) == 0) {
                    disk.write(place, allocator.allocateBlock());
                }
                disk.write(layout.size(inode), size + 1);
            }
            disk.write(address(inode, offset), value);
        }

        /** Makes a file shorter. It keeps its blocks, and finds them again when it grows. */
        void shrink(int inode, int size) {
            disk.write(layout.size(inode), size);
        }
    }

    /** The directory: pairs of a name and an inode, in a file. The caller of each method has the lock of the directory's inode. */
    static class Directory {
        static final int INODE = 0;
        private static final int ENTRY = 2;

        private final Files files;

        Directory(Files files) {
            this.files = files;
        }

        int entries() {
            return files.size(INODE) / ENTRY;
        }

        char name(int entry) {
            return (char) files.read(INODE, entry * ENTRY);
        }

        int inode(int entry) {
            return files.read(INODE, entry * ENTRY + 1);
        }

        /** The entry with a name; -1 if there is none. */
        int find(char name) {
            int entries = entries();
            for (int entry = 0; entry < entries; entry++) {
                if (name(entry) == name) {
                    return entry;
                }
            }
            return -1;
        }

        void add(char name, int inode) {
            set(entries(), name, inode);
        }

        private void set(int entry, char name, int inode) {
            files.write(INODE, entry * ENTRY, name);
            files.write(INODE, entry * ENTRY + 1, inode);
        }

        /** The last entry comes to where the one was that goes. */
        void remove(int entry) {
            int last = entries() - 1;
            if (entry != last) {
                set(entry, name(last), inode(last));
            }
            files.shrink(INODE, last * ENTRY);
        }
    }

    /** A file that somebody has opened. It may be removed meanwhile, and its inode be used for another one. Never changes. */
    record Handle(int inode, int generation) {
    }

    /** What clients call. */
    static class FileSystem {
        private final Disk disk;
        private final Layout layout;
        private final LockManager locks;
        private final Allocator allocator;
        private final Files files;
        private final Directory directory;

        FileSystem(Layout layout) {
            this.layout = layout;
            disk = new Disk(layout.end());
            locks = new LockManager(layout.inodes());
            allocator = new Allocator(disk, layout, locks);
            files = new Files(disk, layout, allocator);
            directory = new Directory(files);
            int root = allocator.allocateInode();
            assert root == Directory.INODE;
        }

        private void lock(int inode) {
            locks.acquire(LockManager.ofInode(inode));
        }

        private void unlock(int inode) {
            locks.release(LockManager.ofInode(inode));
        }

        /** Makes an empty file. Null if there is one of that name. */
        Handle create(char name) {
            Handle handle = null;
            boolean wasThere = has(3) && directory.find(name) >= 0;
            lock(Directory.INODE);
            if (has(3) ? !wasThere : directory.find(name) < 0) {
                int inode = allocator.allocateInode();
                handle = new Handle(inode, disk.read(layout.generation(inode)));
                directory.add(name, inode);
            }
            unlock(Directory.INODE);
            return handle;
        }

        /** Null if there is no file of that name. */
        Handle open(char name) {
            Handle handle = null;
            lock(Directory.INODE);
            int entry = directory.find(name);
            if (entry >= 0) {
                int inode = directory.inode(entry);
                lock(inode);
                handle = new Handle(inode, disk.read(layout.generation(inode)));
                unlock(inode);
            }
            unlock(Directory.INODE);
            return handle;
        }

        private boolean isStale(Handle file) {
            return disk.read(layout.isUsed(file.inode())) == 0 || disk.read(layout.generation(file.inode())) != file.generation();
        }

        /** Writes a cell. False if the file is gone. */
        boolean write(Handle file, int offset, int value) {
            lock(file.inode());
            boolean isThere = !isStale(file);
            if (isThere) {
                files.write(file.inode(), offset, value);
            }
            unlock(file.inode());
            return isThere;
        }

        /** Reads a cell. -1 if the file is gone, or shorter. */
        int read(Handle file, int offset) {
            lock(file.inode());
            boolean isThere = !isStale(file) && offset < files.size(file.inode());
            int value = isThere ? files.read(file.inode(), offset) : -1;
            unlock(file.inode());
            return value;
        }

        /** Removes a file. False if there is none of that name. */
        boolean remove(char name) {
            if (has(4)) {
                return removeInOtherOrder(name);
            }
            lock(Directory.INODE);
            int entry = directory.find(name);
            if (entry >= 0) {
                int inode = directory.inode(entry);
                lock(inode);
                directory.remove(entry);
                allocator.freeInode(inode);
                unlock(inode);
            }
            unlock(Directory.INODE);
            return entry >= 0;
        }

        private boolean removeInOtherOrder(char name) {
            Handle file = open(name);
            if (file == null) {
                return false;
            }
            lock(file.inode());
            lock(Directory.INODE);
            int entry = directory.find(name);
            boolean isThere = entry >= 0 && directory.inode(entry) == file.inode();
            if (isThere) {
                directory.remove(entry);
                allocator.freeInode(file.inode());
            }
            unlock(Directory.INODE);
            unlock(file.inode());
            return isThere;
        }

        /** Whether all is as it should be. For one who is alone with the file system. */
        void verify() {
            boolean[] isUsed = new boolean[layout.blocks() + 1];
            int used = 0;
            for (int inode = 0; inode < layout.inodes(); inode++) {
                if (disk.read(layout.isUsed(inode)) != 0) {
                    used++;
                    for (int i = 0; i < Layout.BLOCKS_PER_FILE; i++) {
                        int block = disk.read(layout.block(inode, i));
                        assert block == 0 || !isUsed[block] : "two files have one block";
                        isUsed[block] |= block != 0;
                    }
                }
            }
            for (int block = 1; block <= layout.blocks(); block++) {
                assert isUsed[block] == (disk.read(layout.isBlockUsed(block)) != 0) : "the map of blocks is wrong";
            }
            assert directory.entries() == used - 1 : "an inode without a name";
            for (int entry = 0; entry < directory.entries(); entry++) {
                assert directory.find(directory.name(entry)) == entry : "a name is there twice";
                assert disk.read(layout.isUsed(directory.inode(entry))) != 0 : "a name without an inode";
            }
        }
    }

    /** Works with files of its own, and with one that all clients use. */
    static class Client extends Thread {
        private static final char COMMON = 'z';

        private final int number;
        private final FileSystem system;
        private final int rounds;
        private final int length;
        private int created;

        Client(int number, FileSystem system, int rounds, int length) {
            super("client " + number);
            this.number = number;
            this.system = system;
            this.rounds = rounds;
            this.length = length;
        }

        private void useOwn(char name) {
            Handle file = system.create(name);
            assert file != null : "nobody else has a file of this name";
            for (int i = 0; i < length; i++) {
                boolean isThere = system.write(file, i, 100 * number + i);
                assert isThere : "nobody else removes it";
            }
            for (int i = 0; i < length; i++) {
                assert system.read(file, i) == 100 * number + i : "somebody else has written there";
            }
        }

        private void useCommon() {
            Handle file = system.create(COMMON);
            if (file != null) {
                created++;
            } else {
                file = system.open(COMMON);
            }
            if (file != null && system.write(file, 0, number)) {
                int value = system.read(file, 0);
                assert value >= -1 && value < 2 : "nobody has written that";
            }
            if (system.remove(COMMON)) {
                created--;
            }
        }

        @Override
        public void run() {
            for (int i = 0; i < rounds; i++) {
                useOwn((char) ('a' + 2 * i + number));
            }
            useCommon();
        }
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    public static void main(String[] args) throws InterruptedException {
        mistake = argument(args, 0, 0);
        int rounds = argument(args, 1, 1);
        int length = argument(args, 2, 1);
        // There are no more inodes than files, so that one too many is noticed.
        int files = 2 * rounds + 1;
        FileSystem system = new FileSystem(new Layout(1 + files, 2 * (1 + files), Math.max(length, 2 * files)));
        Client[] clients = new Client[2];
        for (int i = 0; i < clients.length; i++) {
            clients[i] = new Client(i, system, rounds, length);
            clients[i].start();
        }
        int created = 0;
        for (Client client : clients) {
            client.join();
            created += client.created;
        }
        assert created == 0 : "the common file is there twice, or was removed twice";
        system.verify();
        System.out.println(files - 1 + " files");
    }
}
