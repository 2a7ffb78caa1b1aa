/** Returns the same values in the same order, and prepares the next one while the current one is in use. */
export async function* readAhead<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value> {
  const iterator = values[Symbol.asyncIterator]()
  let next = begin(iterator)
  try {
    for (;;) {
      const result = await next
      if (result.done) return
      next = begin(iterator)
      yield result.value
    }
  } finally {
    await iterator.return?.()
  }
}

function begin<Value>(iterator: AsyncIterator<Value>): Promise<IteratorResult<Value>> {
  const next = iterator.next()
  // it is awaited later, or never if the use of the previous value fails
  next.catch(() => {})
  return next
}
