import { statfs } from 'node:fs/promises'

/** To start, PostgreSQL requires a segment of its log (16 MiB) and a checkpoint. */
const roomBytesMin = 32 * 1024 * 1024

/**
 * Returns whether a server failed because the disk is full, by its error message or by the free space of its directory,
 * because a full disk may have no room for the message.
 */
export async function isShortOfRoom(directory: string, reason: string): Promise<boolean> {
  if (reason.includes('No space left on device')) return true
  const room = await statfs(directory).catch(() => undefined)
  return room !== undefined && room.bavail * room.bsize < roomBytesMin
}
