/** Waits for the end of work, whether it succeeds or fails, but not longer than this. */
export async function inTime(work: Promise<unknown>, msMax: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, msMax)
  await Promise.race([work.catch(() => {}), late])
  clearTimeout(timer)
}
