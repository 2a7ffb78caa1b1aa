import { printJobRequestSchema } from '@despatch/contracts/print-request/print-job-request'
import { expect, test } from 'vitest'
import type { CommandContext } from '../command-context.ts'
import { parseRecipient } from '../jobs/parse-recipient.ts'
import type { ConsumerSession } from '../session.ts'
import { requestOf, submitLetter } from './submit-job.ts'

const recipient = parseRecipient('A Person, 1 High Street, LS1 1AA')
const agreed = { to: '', type: 'LETTER', template: 'PLAIN' }
const uploadId = '11111111-1111-4111-8111-111111111111'

test('the least that is given makes the least request', () => {
  const customParams = [{ key: 'pdfContent', value: 'JVBERg==' }]

  expect(requestOf(agreed, recipient, { customParams })).toEqual({
    standardParams: { jobType: 'LETTER', templateReference: 'PLAIN', ...recipient },
    customParams,
  })
})

test('each option is in the request, in the form of the interface', () => {
  const options = {
    ...agreed,
    id: 'job-1',
    businessIdentifier: 'case-1',
    notBefore: '2026-02-01',
    hold: true,
    method: 'FIRST',
    callback: 'https://example.com/callbacks',
  } as const

  const request = requestOf(options, recipient, { fileParams: [{ fileId: 'letter', uploadId }] })

  expect(printJobRequestSchema.parse(request)).toEqual({
    id: 'job-1',
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'PLAIN',
      businessIdentifier: 'case-1',
      despatchMethod: 'FIRST',
      ...recipient,
    },
    fileParams: [{ fileId: 'letter', uploadId }],
    sendControl: { notBefore: '2026-02-01', hold: true },
    callbackParams: {
      target: 'https://example.com/callbacks',
      retryParams: expect.objectContaining({ enabled: true }),
    },
  })
})

test('warnings of the answer are shown, and are in the document', async () => {
  const warning = {
    code: 'UnknownMember',
    title: 'sendcontrol',
    detail: 'sendcontrol is not known.',
  }
  const created = { id: 'job-1', warnings: [warning] }
  const notes: string[] = []

  const answer = await submitLetter({ send: async () => created } as unknown as ConsumerSession, {
    path: new URL('../../../../docs/examples/letter.pdf', import.meta.url).pathname,
    options: { ...agreed, asSupplied: 'pdfContent' },
    recipient,
    context: { note: (text: string) => notes.push(text) } as unknown as CommandContext,
  })

  expect(answer).toEqual(created)
  expect(notes).toEqual(['despatch: warning: sendcontrol is not known.'])
})

test('custom parameters travel without a file, and beside one that is printed as supplied', async () => {
  const param = [{ key: 'amount', value: '12.50' }]
  const sentFor = async (path: string | undefined, options: object) => {
    const sent: unknown[] = []
    const send = async (_method: string, _path: string, body: { customParams: unknown }) => {
      sent.push(body.customParams)
      return { id: 'job-1' }
    }
    await submitLetter({ send } as unknown as ConsumerSession, {
      path,
      options: { ...agreed, param, ...options },
      recipient,
      context: {} as CommandContext,
    })
    return sent
  }
  const letter = new URL('../../../../docs/examples/letter.pdf', import.meta.url).pathname

  expect(await sentFor(undefined, {})).toEqual([param])
  expect(await sentFor(letter, { asSupplied: 'pdfContent' })).toEqual([
    [{ key: 'pdfContent', value: expect.stringMatching(/^JVBER/) }, ...param],
  ])
})
