import type { BenchConsumer } from '../../load/consumer.ts'

/** Half of the life of a token. */
const renewMs = 30 * 60_000

/** Renews the token of a consumer before it expires, until the returned function is called. */
export function keepSignedIn(consumer: Pick<BenchConsumer, 'token' | 'signIn'>): () => void {
  const timer = setInterval(async () => {
    consumer.token = await consumer.signIn()
  }, renewMs)
  timer.unref()
  return () => clearInterval(timer)
}
