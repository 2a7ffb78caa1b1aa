import { renderStatusMessage, type StatusChange } from '@despatch/domain/callback/status-message'
import { expect, test } from 'vitest'
import { callbackEnvelope } from './envelope.ts'

const despatched: StatusChange = {
  messageId: '7f1d1c55-1a6f-4f0b-9a53-6a6f4a3f0a11',
  sequence: 1,
  printJobId: 'a5c1b9d2-0000-4000-8000-abcdef012345',
  jobType: 'NOTIFY',
  templateReference: 'NO1',
  status: 'DESPATCHED',
  at: new Date('2026-03-02T23:59:59.987Z'),
  comment: null,
  despatchProperties: [
    { key: 'totalSheets', value: '5' },
    { key: 'postageClass', value: '2ND' },
    { key: 'mailingProduct', value: 'MM ECONOMY' },
  ],
  correlationId: '0c2b6c5e-4b4b-4b7c-8f5e-1f5d2b0a9c33',
}
const wire = (change: Partial<StatusChange> = {}) =>
  JSON.parse(new TextDecoder().decode(renderStatusMessage({ ...despatched, ...change })))

test('accepts the envelopes that we send, despatched or rejected', () => {
  expect(callbackEnvelope.parse(wire())).toEqual(wire())
  expect(callbackEnvelope.safeParse(wire({ status: 'REJECTED' })).success).toBe(true)
  expect(callbackEnvelope.safeParse(wire({ status: 'REJECTED', comment: 'No' })).success).toBe(true)
})

const valid = wire()
const [sheets, postage, product] = valid.data.despatchProperties
const withData = (members: object) => ({ ...valid, data: { ...valid.data, ...members } })

const propertiesOf = (...despatchProperties: object[]) => withData({ despatchProperties })

const refused: [why: string, body: object][] = [
  ['a comment that is null', withData({ comment: null })],
  ['a transition date with milliseconds', withData({ transitionDate: '2026-03-02T23:59:59.987Z' })],
  ['a transition date with an offset', withData({ transitionDate: '2026-03-02T23:59:59+00:00' })],
  ['another status', withData({ jobStatus: 'PENDING' })],
  ['a status in title case', withData({ jobStatus: 'Despatched' })],
  ['two despatch properties', propertiesOf(sheets, postage)],
  ['two equal properties', propertiesOf(sheets, postage, product, product)],
  ['no total sheets', propertiesOf(postage, product, { key: 'a', value: 'b' })],
  ['total sheets as a number', propertiesOf({ ...sheets, value: 5 }, postage, product)],
  ['an unknown mailing product', propertiesOf(sheets, postage, { ...product, value: 'OTHER' })],
  ['no despatch properties', withData({ despatchProperties: undefined })],
  ['a job id that is not a UUID', withData({ jobId: 'letter-1' })],
  ['another content type', { ...valid, dataContentType: 'text/plain' }],
  ['no time', { ...valid, time: undefined }],
  ['no metadata', { ...valid, metadata: undefined }],
  ['metadata without a correlation id', { ...valid, metadata: {} }],
]

test.for(refused)('refuses %s', ([, body]) => {
  expect(callbackEnvelope.safeParse(body).success).toBe(false)
})
