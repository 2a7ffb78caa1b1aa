import { once } from 'node:events'

/** Answers each message of the parent process, one answer to one message, until the parent ends or stops it. */
export function answerParent<Message>(answer: (message: Message) => Promise<unknown>): void {
  process.on('message', (message: Message) => {
    answer(message).then(
      (result) => process.send?.(result),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
        process.exit(1)
      },
    )
  })
  process.once('disconnect', () => process.exit(0))
  process.send?.('ready')
}

/** Waits until the parent ends or stops this program, then closes what is open and ends. */
export async function endWithParent(close: () => Promise<unknown>): Promise<never> {
  await Promise.race(['SIGTERM', 'SIGINT', 'disconnect'].map((signal) => once(process, signal)))
  await close()
  process.exit(0)
}
