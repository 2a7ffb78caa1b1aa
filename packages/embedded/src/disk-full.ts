import { statfs } from 'node:fs/promises'

/** To start, PostgreSQL needs room for a segment of its write-ahead log (16 MiB) and a checkpoint. */
const roomBytesMin = 32 * 1024 * 1024

/**
 * Whether a server failed because the disk is full. Checks its error message, and also the free space of its directory,
 * since a full disk may have no room for the message.
 */
export async function isDiskFull(directory: string, reason: string): Promise<boolean> {
  if (reason.includes('No space left on device')) return true
  const room = await statfs(directory).catch(() => undefined)
  return room !== undefined && room.bavail * room.bsize < roomBytesMin
}
