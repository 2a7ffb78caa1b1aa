import { attempt } from './attempt.ts'

/** The longest wait for what is read again anyway, in milliseconds. */
export const pollMsMax = 10_000

/** Reads now, and again `everyMs` after each read has ended, while the page is visible. Returns how to stop. */
export function repeat(read: () => Promise<void>, everyMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false
  const run = async () => {
    if (!document.hidden) await attempt(read)
    if (!isOver) timer = setTimeout(() => void run(), everyMs)
  }
  void run()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
