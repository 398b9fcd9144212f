/**
 * Blocks of memory that are on a free list or belong to a file. Two threads, each with a file of its own, take a block for it,
 * use it and give it back; later it may come to the other file.
 *
 * After the second example of section 2 of Stoller and Cohen, "Optimistic Synchronization-Based State-Space Reduction" (2006);
 * blocks.rad is the same as a model.
 *
 * The discipline: no one lock protects the fields of a block ({@code data}, {@code file}, {@code next}) all the time. While it is
 * on the free list ({@code file} is null), they belong to whoever has the free list's lock; while it is in a file, to whoever has
 * that file's lock. To move a block one has both. {@code FreeList.first} is protected by the list's lock, {@code File.block} by
 * the file's.
 *
 * Arguments: the number of blocks (1) and of rounds (2).
 */
public class Blocks {
    static class Block {
        int data = 7;
        File file;
        Block next;
    }

    static class FreeList {
        private Block first;

        /** Takes a block off the list and puts it into a file; the caller has the file's lock. */
        synchronized Block allocate(File file) {
            Block block = first;
            if (block != null) {
                assert block.file == null && block.data == 7 : "in use, but free";
                first = block.next;
                block.next = null;
                block.data = 0;
                block.file = file;
            }
            return block;
        }

        /** Puts a block back; the caller has the lock of the file that it was in. */
        synchronized void free(Block block) {
            block.data = 7;
            block.file = null;
            block.next = first;
            first = block;
        }
    }

    static class File {
        private Block block;

        /** Has a block for a while, if there is one. */
        synchronized void use(FreeList free) {
            block = free.allocate(this);
            if (block != null) {
                block.data++;
                block.data++;
                assert block.data == 2 && block.file == this : "somebody else has the block";
                free.free(block);
                block = null;
            }
        }
    }

    public static void main(String[] args) {
        int blocks = args.length > 0 ? Integer.parseInt(args[0]) : 1;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        FreeList free = new FreeList();
        for (int i = 0; i < blocks; i++) {
            free.free(new Block());
        }
        for (int i = 0; i < 2; i++) {
            File file = new File();
            new Thread(() -> {
                for (int round = 0; round < rounds; round++) {
                    file.use(free);
                }
            }).start();
        }
    }
}
