import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority } from 'node:os'
import type { DocumentRequest } from '@despatch/documents/document-request'
import { createPrintStream } from '@despatch/documents/print-stream/print-stream'
import { makePrintStreamPart } from '@despatch/documents/print-stream/print-stream-part'
import { shared } from '@despatch/testing/shared'
import { afterEach, expect, test } from 'vitest'
import { type Composers, startComposers } from '../src/composers.ts'
import { taskLimits } from '../src/task-limits.ts'
import type { ThreadsOptions } from '../src/threads.ts'
import { threadPriority } from '../src/yield-to-others.ts'

const composers = await shared(startComposers({ threadsMax: 1, taskLimits }))
const open: Composers[] = []
afterEach(() => Promise.all(open.splice(0).map(({ close }) => close())))

/** Far more processor time than a short file takes, and far less than an endless one. */
const narrowMs = 1_000
/** On a busy machine a thread waits for long before it has used its processor time. */
const patience = 1_000

function others({
  onUsed,
  ...narrowed
}: Partial<typeof taskLimits> & Pick<ThreadsOptions, 'onUsed'> = {}) {
  const started = startComposers({
    threadsMax: 1,
    taskLimits: { ...taskLimits, ...narrowed },
    ...(onUsed && { onUsed }),
  })
  open.push(started)
  return started
}

const letter: DocumentRequest = {
  production: 'letter',
  at: new Date('2026-03-02T09:00:00Z'),
  plex: 'duplex',
  pagesMax: 10,
  ruleSet: 'standard-2026-11',
  documentId: 'D100000001',
  marks: true,
  title: 'LETTER',
  printableAddress: {
    line1: '1 High Street',
    postcode: 'AB1 2CD',
    recipientLine1: 'Ms A Person',
    recipientLine2: '',
    dps: null,
  },
  addressPlacement: 'own-page',
  files: [],
}

/** A valid PDF that is slow to process: each of its many pages must be painted, because of a white box at its edge. */
function aLongPdf(pages: number): Uint8Array {
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`).join(' ')
  const leaves = Array.from(
    { length: pages },
    (_, index) =>
      `${index + 3} 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 595.28 841.89]/Resources<<>>/Contents ${pages + 3} 0 R>>\nendobj\n`,
  ).join('')
  const content = '1 g 0 0 9 9 re f'
  return Buffer.from(
    `%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n` +
      `2 0 obj\n<</Type/Pages/Kids[${kids}]/Count ${pages}>>\nendobj\n${leaves}` +
      `${pages + 3} 0 obj\n<</Length ${content.length}>>\nstream\n${content}\nendstream\nendobj\n` +
      `trailer\n<</Size ${pages + 4}/Root 1 0 R>>\nstartxref\n0\n%%EOF\n`,
    'latin1',
  )
}
const pdfFile = (fileId: string, pages: number) =>
  ({ fileId, mediaType: 'application/pdf', bytes: aLongPdf(pages) }) as const

/** Returns the priority of each thread of this process, as the kernel has it. */
function prioritiesOfThreads(): number[] {
  return readdirSync('/proc/self/task').map((id) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'latin1')
    const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(afterName[16])
  })
}

test.runIf(process.platform === 'linux')(
  'a composing thread has a lower priority than the threads that answer requests',
  async () => {
    await composers.makeDocument({ ...letter, files: [pdfFile('scan', 1)] })

    expect(prioritiesOfThreads().filter((priority) => priority === threadPriority)).toHaveLength(1)
    expect(getPriority()).toBe(constants.priority.PRIORITY_NORMAL)
  },
)

test('any thread makes the same document from the same request', async () => {
  const request = { ...letter, files: [pdfFile('scan', 2)] }

  const [one, other] = await Promise.all([
    composers.makeDocument(request),
    others().makeDocument(request),
  ])

  expect(one.document).toMatchObject({ pages: 3, sheets: 2, weightGrams: expect.any(Number) })
  expect(one.document!.sha256).toBe(other.document!.sha256)
})

test('refuses a letter that exceeds a limit and names the file, without a retry', async () => {
  const narrow = others({ taskMs: narrowMs, patience })
  const files = [pdfFile('short', 1), pdfFile('endless', 9_000)]

  const made = await narrow.makeDocument({ ...letter, pagesMax: 10_000, files })

  expect(made).toEqual({
    findings: [
      {
        rule: 'file-time',
        severity: 'refusal',
        fileId: 'endless',
        allowed: { unit: 's', max: 1 },
        detail: 'File endless takes more than 1 seconds of processor time to check and compose.',
      },
    ],
  })
  expect((await narrow.makeDocument(letter)).document).toMatchObject({ pages: 1 })
})

test('refuses a file that took too long at once when it comes again, in any letter', async () => {
  const used: { consumerId: string; processorMs: number }[] = []
  const narrow = others({
    fileMs: narrowMs,
    pageMs: 0,
    patience,
    onUsed: (consumerId, processorMs) => used.push({ consumerId, processorMs }),
  })
  const endless = pdfFile('endless', 9_000)
  const make = (files: DocumentRequest['files'], consumerId: string) =>
    narrow.makeDocument({ ...letter, pagesMax: 10_000, files }, { consumerId })

  const first = await make([endless], 'first')
  const again = await make([pdfFile('short', 1), { ...endless, fileId: 'again' }], 'second')

  const detail = (fileId: string) =>
    `File ${fileId} takes more than 1 seconds of processor time, and 0 seconds for each of its pages, to check.`
  expect(first.findings).toMatchObject([
    { rule: 'file-time', fileId: 'endless', detail: detail('endless') },
  ])
  expect(again.findings).toMatchObject([
    { rule: 'file-time', fileId: 'again', detail: detail('again') },
  ])
  // the second took no thread
  expect(used).toEqual([{ consumerId: 'first', processorMs: expect.any(Number) }])
  expect(used[0]!.processorMs).toBeGreaterThan(narrowMs)
})

test('validates a letter from its files as they were sent', async () => {
  const { addressPlacement, ...request } = letter as Extract<
    DocumentRequest,
    { production: 'letter' }
  >
  const files = [
    { fileId: 'text', bytes: Buffer.from('just text') },
    { fileId: 'scan', bytes: aLongPdf(1) },
  ]

  const tried = (of: typeof files) =>
    composers.validateLetter({
      request: { ...request, addressPlacement },
      files: of,
      findings: [],
    })

  expect((await tried(files)).findings).toMatchObject([{ rule: 'file-kind', fileId: 'text' }])
  expect((await tried(files.slice(1))).document).toMatchObject({ pages: 2 })
})

test('reports an invalid request as our fault, and does not refuse the letter', async () => {
  const request = { ...letter, ruleSet: 'none' as never, files: [pdfFile('scan', 1)] }

  await expect(composers.makeDocument(request)).rejects.toThrow(TypeError)
})

test('makes the same part of a print stream in a thread as without a thread', async () => {
  const task = {
    documents: [aLongPdf(1), aLongPdf(2)],
    plex: 'duplex',
    place: createPrintStream({ name: 'any' }).place(),
  } as const

  const made = await composers.printStreamPart(task)

  expect(made).toEqual(await makePrintStreamPart(task))
  expect(made.documentPages).toEqual([1, 2])
})

test('makes no part of a print stream with a document that it cannot read', async () => {
  const { place } = createPrintStream({ name: 'any' })
  const documents = [aLongPdf(1), Buffer.from('a letter')]

  const made = composers.printStreamPart({ documents, plex: 'simplex', place: place() })

  await expect(made).rejects.toThrow()
})
