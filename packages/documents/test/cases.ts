import { readFileSync } from 'node:fs'

/** Returns a file of `cases/`: small files made after faults of files that people sent. */
export function readCase(name: string): Buffer {
  return readFileSync(new URL(`cases/${name}`, import.meta.url))
}
