import { hash, randomBytes, randomUUID } from 'node:crypto'
import { producedMethodOf } from '@despatch/domain/address/abroad'
import type { StandardParams } from '@despatch/domain/print-job/params'
import type { Db } from '@despatch/store/database'
import type { Submission } from '@despatch/store/print-job/submissions'

export type StoredConsumer = { consumerId: string; apiKeyHash: string; contractId: string }

/** Inserts a consumer with one contract, LETTER/LETTER. Its password and API key are unknown. */
export async function insertConsumer(
  db: Db,
  {
    userName = `consumer-${randomUUID()}`,
    callbackStatuses = ['DESPATCHED', 'REJECTED'],
  }: {
    userName?: string
    callbackStatuses?: Submission['callbackStatuses']
  } = {},
): Promise<StoredConsumer> {
  const consumerId = randomUUID()
  const contractId = randomUUID()
  const apiKeyHash = hash('sha256', randomBytes(16), 'buffer')
  await db
    .insertInto('consumer')
    .values({
      id: consumerId,
      name: 'A consumer',
      user_name: userName,
      password_hash: 'none',
      password_expires_on: '2999-12-31',
      api_key_prefix: 'none',
      api_key_hash: apiKeyHash,
      api_key_expires_on: '2999-12-31',
      roles: ['consumer'],
    })
    .execute()
  await db
    .insertInto('contract')
    .values({
      id: contractId,
      consumer_id: consumerId,
      job_type: 'LETTER',
      template_reference: 'LETTER',
      production: 'letter',
      callback_statuses: [...callbackStatuses],
    })
    .execute()
  return { consumerId, apiKeyHash: apiKeyHash.toString('hex'), contractId }
}

export const someStandardParams: StandardParams = {
  jobType: 'LETTER',
  templateReference: 'LETTER',
  recipientName: 'Ms A Person',
  address: {
    unstructuredAddress: { line1: '1 High Street', line5: 'ANYTOWN', postcode: 'AB1 2CD' },
  },
}

/** Returns a key that begins with the time, as that of a print job which was submitted then. */
export function aKeyAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`
}

/** Returns a valid submission, with the details that a test is about. */
export function aSubmission(
  consumer: StoredConsumer,
  detail: Partial<Submission> = {},
): Submission {
  const { standardParams = someStandardParams } = detail
  return {
    key: randomUUID(),
    id: randomUUID(),
    ...consumer,
    standardParams,
    producedAs: producedMethodOf(standardParams.address, standardParams.despatchMethod),
    customParams: null,
    callbackParams: null,
    callbackDestinationSealed: null,
    callbackOrigin: null,
    callbackStatuses: ['DESPATCHED', 'REJECTED'],
    correlationId: randomUUID(),
    idempotencyKey: null,
    requestFingerprint: '00'.repeat(32),
    notBefore: null,
    heldBy: null,
    traceContext: null,
    // otherwise the administration service writes them, and locks the row meanwhile
    searchTerms: { lasting: '1', personal: [] },
    unknownMembers: null,
    template: null,
    templateLanguages: null,
    findings: null,
    files: [],
    ...detail,
  }
}
