import { callbackEnvelope } from '@despatch/contracts/callback/envelope'
import { type CallbackReceiver, startCallbackReceiver } from '@despatch/testing/callback-receiver'
import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import {
  type Letter,
  type LetterOptions,
  tokenOf,
  writeLetter,
} from '../stack/long-lived-client/letters.ts'
import { startWorker, type Worker } from '../stack/long-lived-client/worker.ts'
import { sharedDespatch } from '../stack/shared-despatch.ts'

const kinds: readonly Pick<LetterOptions, 'postage' | 'lines' | 'bfpoNumber'>[] = [
  { postage: 'first', lines: ['Ms A Example', '1 High Street', 'Anytown', 'AB1 2CD'] },
  { postage: 'second', lines: ['Mr B Example', '2 High Street', 'AB1 2CD'] },
  { postage: 'economy', lines: ['Dr C Example', '3 High Street', 'Anytown', 'AB1 2CD'] },
  { postage: 'second', lines: ['Cpl D Example', 'B Company', 'BF1 1AA'], bfpoNumber: 61 },
  { postage: 'europe', lines: ['Mme E Exemple', '1 Rue Exemple', '75001 Paris', 'France'] },
  { postage: 'rest-of-world', lines: ['Mr F Example', '1 Main Street', 'Tokyo', 'Japan'] },
]
const symbols = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
/** Generated passwords have 30 characters. These two have every printable symbol of ASCII. */
const passwords = [symbols.slice(0, 16), symbols.slice(16)].map((some) =>
  `aB1${some}`.padEnd(30, some),
)
const hourMs = 60 * 60 * 1000

// The client is that of a large consumer, which follows the specification and which we cannot change. Whatever makes this
// test fail is a breaking change, also if it is a hardening.
test('a client that keeps its token loses no letter when its password and its API key change', async () => {
  await using receiver = await startCallbackReceiver()
  receiver.answerWith({ status: 204 })
  const { baseUrl, consumer } = (await sharedDespatch()).credentials
  const parameters = { ...consumer }
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  using stopping = new DisposableStack()
  const start = () => stopping.use(startWorker(baseUrl, { parameters, now }))
  const rotating = start()
  const [quiet, busy] = [
    [start(), start(), start()],
    [start(), start()],
  ]
  const all = [rotating, ...quiet, ...busy]
  const letters = await aLetterBook(receiver)
  await letters.deliverDamaged(rotating)

  for (const password of passwords) {
    await letters.deliverOneEach(all)
    const before = all.map((worker) => ({ token: worker.token(), counts: { ...worker.counts } }))

    await letters.deliverUntil(busy, async () => {
      await rotating.changePassword(password)
      await rotating.changeApiKey()
    })
    await letters.deliverOneEach(all)

    // No worker signs in again: each goes on with its token, and learns of the new key by a 401.
    const authentications = ({ counts }: Pick<Worker, 'counts'>) => counts.authentications
    expect(all.map((worker) => worker.token())).toEqual(before.map(({ token }) => token))
    expect(all.map(authentications)).toEqual(before.map(authentications))
    const refusedKeys = (worker: Worker) =>
      worker.counts.refusedKeys - before[all.indexOf(worker)]!.counts.refusedKeys
    expect(quiet.map(refusedKeys)).toEqual([1, 1, 1])
    expect(busy.map(refusedKeys)).not.toContain(0)
    expect(refusedKeys(rotating)).toBe(0)
    await letters.submitAgain(all)

    // A minute before the token expires, each worker signs in. Those that have the old password get a 401 for it first, and
    // lock the user name for a second together. The one with the new password comes before them.
    aheadMs = hourMs
    await letters.deliverOneEach([rotating])
    await letters.deliverOneEach([...quiet, ...busy])
    aheadMs = 0
    for (const [index, worker] of all.entries()) {
      const { token, counts } = before[index]!
      expect(worker.token()).not.toBe(token)
      expect(worker.counts.refusedPasswords > counts.refusedPasswords).toBe(worker !== rotating)
    }
  }

  await letters.haveEnded()
})

/** The letters of the client, with what is expected to become of each. */
async function aLetterBook(receiver: CallbackReceiver) {
  const written: { letter: Letter; ending: 'DESPATCHED' | 'REJECTED' }[] = []
  const document = await PDFDocument.create()
  document.addPage([595.28, 841.89]).drawText('Dear reader', { x: 72, y: 500 })
  const intact = await document.save()

  async function deliver(worker: Worker, pdf = intact): Promise<void> {
    const kind = kinds[written.length % kinds.length]!
    const letter = writeLetter({ ...kind, pdf, callbackUrl: receiver.url })
    written.push({ letter, ending: pdf === intact ? 'DESPATCHED' : 'REJECTED' })
    const outcome = await worker.deliver(letter)
    // A duplicate counts as sent: the answer to an earlier attempt was lost.
    expect(['accepted', 'duplicate'], outcome.text).toContain(outcome.kind)
  }

  return {
    deliverOneEach: (workers: readonly Worker[]) =>
      Promise.all(workers.map((worker) => deliver(worker))),
    deliverDamaged: (worker: Worker) =>
      deliver(worker, Buffer.from('%PDF-1.7\nThe rest is missing')),
    /** Each worker delivers one letter after the other until the action has ended. */
    async deliverUntil(workers: readonly Worker[], act: () => Promise<void>): Promise<void> {
      let isOver = false
      const acting = act().finally(() => {
        isOver = true
      })
      const sending = workers.map(async (worker) => {
        while (!isOver) await deliver(worker)
      })
      await Promise.all([acting, ...sending])
    },
    /** Each worker retries a letter that another one has delivered. */
    async submitAgain(workers: readonly Worker[]): Promise<void> {
      for (const [index, worker] of workers.entries()) {
        const { letter } = written[index]!
        const { kind, text } = await worker.deliver(letter)
        expect({ kind, text }).toEqual({
          kind: 'duplicate',
          text: expect.stringContaining(letter.id),
        })
      }
    },
    /** Waits for the callback of every letter, and reads it as strictly as the client does. */
    async haveEnded(): Promise<void> {
      for (const { letter, ending } of written) {
        const tokenPath = `/callbacks?token=${tokenOf(letter.id)}`
        const { method, body } = await receiver.received(({ path }) => path === tokenPath, {
          deadlineMs: 120_000,
          message: `the callback for ${letter.id}`,
        })
        const { data } = callbackEnvelope.parse(body)
        expect({ method, ...data }).toMatchObject({
          method: 'POST',
          jobId: letter.id,
          jobStatus: ending,
        })
      }
    },
  }
}
