import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { StorageUsage } from '../store.ts'

/** The size of the file and of those beside it: the write-ahead log and its index. */
export async function storageOf(path: string): Promise<StorageUsage> {
  const sizes = await Promise.all([path, `${path}-wal`, `${path}-shm`].map(sizeOf))
  return {
    engine: 'sqlite',
    database: sizes.reduce((sum, size) => sum + size, 0),
    free: await freeBeside(path),
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch {
    // The file exists only while the database is open.
    return 0
  }
}

async function freeBeside(path: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(dirname(path))
    return bavail * bsize
  } catch {
    return null
  }
}
