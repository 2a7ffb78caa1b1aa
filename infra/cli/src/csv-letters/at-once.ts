/**
 * Works on the items of a source, on a limited number at once. After an error it takes no other items, finishes those
 * that it has begun, and throws the first error.
 */
export async function eachAtOnce<T>(
  source: AsyncGenerator<T>,
  atOnceMax: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = []
  async function workOn(): Promise<void> {
    while (errors.length === 0) {
      const next = await source.next()
      if (next.done) return
      await work(next.value)
    }
  }
  const workers = Array.from({ length: atOnceMax }, () =>
    workOn().catch((error: unknown) => void errors.push(error)),
  )
  await Promise.all(workers)
  await source.return(undefined)
  if (errors.length > 0) throw errors[0]
}
