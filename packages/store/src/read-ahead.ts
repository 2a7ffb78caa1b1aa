/** The same values in the same order; the next one is made ready while one is in use. */
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
  // it is awaited later, or not at all when the use of the one before fails
  next.catch(() => {})
  return next
}
