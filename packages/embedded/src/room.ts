import { statfs } from 'node:fs/promises'

/** PostgreSQL starts with a segment of its log (16 MiB) and a checkpoint. */
const roomBytesMin = 32 * 1024 * 1024

/**
 * Says whether a server failed because the disk is full: by the reason that it gave, or by the room that is left in its
 * directory, since a full disk has no room for a reason either.
 */
export async function isShortOfRoom(directory: string, reason: string): Promise<boolean> {
  if (reason.includes('No space left on device')) return true
  const room = await statfs(directory).catch(() => undefined)
  return room !== undefined && room.bavail * room.bsize < roomBytesMin
}
