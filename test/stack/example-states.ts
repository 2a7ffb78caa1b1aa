import { randomBytes, randomUUID } from 'node:crypto'
import { eventually } from '@despatch/testing/eventually'
import { listScenarios } from '@despatch/uat-scenarios/list-scenarios'
import { aCaller, type Json } from './a-caller.ts'
import { aConsumer } from './a-consumer.ts'
import { aSmallLetter } from './a-small-letter.ts'
import { signInToConsole } from './console-session.ts'
import { aProvider } from './provider-loop/a-provider.ts'
import type { Credentials } from './start-despatch.ts'

/** Values for a request, by the name of the parameter or member of the body that has it. `headers` are sent as well. */
export type StateValues = Readonly<Record<string, unknown>> & { headers?: Record<string, string> }

type Caller = { token: string; apiKey: string }
type States = Readonly<Record<string, () => Promise<StateValues>>>
type Calls = Awaited<ReturnType<typeof createCalls>>

const letter = {
  ...aSmallLetter,
  callbackParams: { target: 'http://127.0.0.1:65535/', retryParams: { enabled: true } },
}
const reason = 'For an example'
/** The example of createProvider. */
const otherProvider = 'example-press'

/**
 * Returns functions that create what an operation acts on, by the name of the operation. Each returns the values of what
 * it created, for the example of the request.
 */
export async function createExampleStates(
  credentials: Credentials,
  { operator }: { operator: Caller },
): Promise<States> {
  const calls = await createCalls(credentials, operator)
  const runs = createPrintRuns(calls)
  return {
    ...accessStates(calls, credentials),
    ...recordSetStates(calls),
    ...printRunStates(runs),
    ...letterStates(calls),
    'administration/sendTestCallback': async () => {
      await runs.despatchedRun()
      const { userName } = credentials.consumer
      const { consumers } = await calls.operate('GET', `/consumers?userName=${userName}`)
      return { consumerId: consumers[0].consumerId }
    },
    'vehicle-enquiry/getVehicle': () => knownRecord('vehicle-enquiry'),
    'full-driver-enquiry/retrieveDrivingLicence': () => knownRecord('full-driver-enquiry'),
  }
}

async function createCalls(credentials: Credentials, operator: Caller) {
  const { baseUrl, opsUrl } = credentials
  const consumer = await aConsumer(baseUrl, credentials.consumer)
  const credential = credentials.provider
  const provider = await aProvider(baseUrl, { id: 'demo-provider', credential })

  async function operate(method: string, path: string, body?: object): Promise<Json> {
    // read now: an example changes the key
    const headers = { authorization: operator.token, 'x-api-key': operator.apiKey }
    const call = aCaller(`${opsUrl}/administration/v1`, headers)
    const answer = await call(method, path, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  async function provide(method: string, path: string, body?: object): Promise<Json> {
    const answer = await provider.call(method, path, { key: randomUUID(), body })
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  return { consumer, provider, operate, provide }
}

function accessStates({ operate }: Calls, credentials: Credentials): States {
  const repeatedSignIn = async () => ({ password: credentials.operator.password })
  return {
    'thirdparty-access/authenticate': async () => credentials.consumer,
    'thirdparty-access/changePassword': async () => {
      const userName = `example-${randomUUID().slice(0, 8)}`
      const { password } = await operate('POST', '/consumers', { userName, name: 'Example' })
      return { userName, password }
    },
    'administration/createSession': async () => credentials.operator,
    'administration/resetPassword': repeatedSignIn,
    'administration/rotateApiKey': repeatedSignIn,
    'administration/getSession': async () => {
      const cookie = await signInToConsole(credentials.opsUrl, credentials.operator)
      return { headers: { cookie, 'x-despatch-console': '1' } }
    },
  }
}

function letterStates({ consumer, operate }: Calls): States {
  async function pendingLetter() {
    const jobId = await consumer.submit(letter)
    await consumer.reached(jobId, 'PENDING')
    return { jobId }
  }
  async function heldLetter() {
    const { jobId } = await pendingLetter()
    await consumer.call('POST', `jobs/${jobId}/hold`, { reason })
    return { jobId }
  }
  async function pendingLetterByKey() {
    const { jobId } = await pendingLetter()
    const { printJobs } = await operate('POST', '/print-jobs/search', { find: jobId })
    return { printJobKey: printJobs[0].printJobKey as string }
  }
  async function heldLetterByKey() {
    const values = await pendingLetterByKey()
    await operate('POST', `/print-jobs/${values.printJobKey}/hold`, { reason })
    return values
  }
  async function plannedBulkAction() {
    const { printJobKey } = await pendingLetterByKey()
    const body = { action: 'hold', printJobKeys: [printJobKey], reason }
    const { bulkActionId, digest, printJobCount } = await operate('POST', '/bulk-actions', body)
    return { bulkActionId, digest, printJobCount }
  }

  return {
    'administration/holdPrintJobByKey': pendingLetterByKey,
    'administration/releasePrintJobByKey': heldLetterByKey,
    'administration/cancelPrintJob': pendingLetterByKey,
    'administration/overrideAddress': heldLetterByKey,
    'administration/confirmBulkAction': plannedBulkAction,
    'print-request/deletePrintJob': pendingLetter,
    'print-request/holdPrintJob': pendingLetter,
    'print-request/releasePrintJob': heldLetter,
  }
}

function createPrintRuns({ consumer, provider, operate, provide }: Calls) {
  async function releasedRun() {
    const jobId = await consumer.submit(letter)
    return eventually(
      async () => {
        const { body } = await consumer.call('GET', `jobs/${jobId}`)
        const { batchNumber } = body as { batchNumber?: string }
        const { printRuns } = (await provider.call('GET', '/print-runs')).body
        const run = printRuns.find((each: Json) => each.batchNumber === batchNumber)
        return run?.state === 'RELEASED' ? { batchNumber: batchNumber! } : undefined
      },
      { deadlineMs: 60_000, pollMs: 100, message: 'the print run of a letter is released' },
    )
  }
  async function claimedRun() {
    const { batchNumber } = await releasedRun()
    await provide('POST', `/print-runs/${batchNumber}/claim`)
    const { manifestDigest, totals, documents } = await provider.manifest(batchNumber)
    const { documentCount, sheetCount } = totals
    const { documentId } = documents[0]
    return { batchNumber, documentId, documentCount, sheetCount, manifestDigest }
  }
  async function acceptedRun() {
    const { batchNumber, documentId, ...body } = await claimedRun()
    await provide('POST', `/print-runs/${batchNumber}/acknowledgement`, body)
    const handoverAt = new Date().toISOString()
    return { batchNumber, documentId, handoverAt }
  }
  async function despatchedRun() {
    const { batchNumber } = await acceptedRun()
    const posting = { batchNumber, carrier: 'A carrier', handoverAt: new Date().toISOString() }
    const { postingId } = await provide('POST', '/postings', posting)
    await provide('POST', `/postings/${postingId}/confirm`)
    return { batchNumber }
  }
  async function recalledRun() {
    const run = await acceptedRun()
    const path = `/print-runs/${run.batchNumber}/recalls`
    const { recallId } = await operate('POST', path, { all: true, reason })
    return { ...run, recallId }
  }
  /** Its documents can be posted on behalf of the provider, which is present. */
  async function tooLateRun() {
    const run = await recalledRun()
    await provide('POST', `/recall-requests/${run.recallId}/reject`, { reason })
    return run
  }
  async function spoiledDocument() {
    const { batchNumber, documentId } = await acceptedRun()
    const occurredAt = new Date().toISOString()
    const spoiled = { type: 'SPOILED', reasonCode: 'SMEARED', attempt: 1, occurredAt }
    const event = { eventId: randomUUID(), documentId, ...spoiled }
    await provide('POST', `/print-runs/${batchNumber}/events`, { events: [event] })
    return { batchNumber, documentId }
  }
  async function waitingReprint() {
    const site = { enabled: true, share: 1, reprintsFreeMax: 0, reprintsFreePercent: 0 }
    await operate('PUT', '/providers/demo-provider/sites/demo-site', site)
    const { batchNumber, documentId } = await spoiledDocument()
    const body = { documents: [{ documentId, reasonCode: 'SMEARED' }] }
    await provide('POST', `/print-runs/${batchNumber}/reprints`, body)
    const { reprints } = await operate('GET', '/reprints?state=WAITING')
    const { reprintId } = reprints.find((each: Json) => each.documentId === documentId)
    return { reprintId }
  }

  return {
    releasedRun,
    claimedRun,
    acceptedRun,
    despatchedRun,
    recalledRun,
    tooLateRun,
    spoiledDocument,
    waitingReprint,
  }
}

function printRunStates(runs: ReturnType<typeof createPrintRuns>): States {
  return {
    // A share would take letters from the provider of the test.
    'administration/putPrintSite': async () => ({ providerId: otherProvider, share: 0 }),
    'administration/countReassignment': runs.releasedRun,
    'administration/reassignPrintRun': async () => ({
      ...(await runs.releasedRun()),
      providerId: otherProvider,
    }),
    'administration/countPosting': runs.tooLateRun,
    'administration/postOnBehalf': runs.tooLateRun,
    'administration/closePrintRunOnBehalf': runs.despatchedRun,
    'administration/authoriseReprint': runs.waitingReprint,
    'administration/refuseReprint': runs.waitingReprint,
    'fulfilment/claimPrintRun': runs.releasedRun,
    'fulfilment/renewLease': runs.claimedRun,
    'fulfilment/acknowledgePrintRun': runs.claimedRun,
    'fulfilment/createPosting': runs.acceptedRun,
    'fulfilment/reportItemEvents': runs.acceptedRun,
    'fulfilment/requestReprints': runs.spoiledDocument,
    'fulfilment/acceptRecall': runs.recalledRun,
    'fulfilment/rejectRecall': runs.recalledRun,
  }
}

function recordSetStates({ operate }: Calls): States {
  async function settledSets(): Promise<Json[]> {
    return eventually(
      async () => {
        const { recordSets } = await operate('GET', '/record-sets?kind=vehicle')
        for (const { state, recordSetId } of recordSets) {
          if (state === 'LOADING') await operate('POST', `/record-sets/${recordSetId}/abandon`)
        }
        const isUnderWay = ({ state }: Json) => ['LOADING', 'PUBLISHING'].includes(state)
        return recordSets.some(isUnderWay) ? undefined : recordSets
      },
      { deadlineMs: 60_000, pollMs: 100, message: 'no set of vehicle records is unfinished' },
    )
  }
  async function loadingSet() {
    await settledSets()
    const sourceSha256 = randomBytes(32).toString('hex')
    const begun = { kind: 'vehicle', mode: 'replace', sourceSha256 }
    const { recordSetId } = await operate('POST', '/record-sets', begun)
    return { recordSetId, fromRow: '0' }
  }
  async function retiredSet() {
    for (let count = 0; count < 2; count += 1) {
      const { recordSetId } = await loadingSet()
      await operate('POST', `/record-sets/${recordSetId}/publish`)
    }
    const sets = await settledSets()
    const { recordSetId } = sets.find(({ state }) => state === 'RETIRED')
    return { recordSetId }
  }

  return {
    'administration/loadRows': loadingSet,
    'administration/abandonRecordSet': loadingSet,
    'administration/publishRecordSet': loadingSet,
    'administration/makeRecordSetCurrent': retiredSet,
  }
}

async function knownRecord(api: string) {
  const scenario = listScenarios().find((each) => each.api === api && each.expects.status === 200)
  return scenario!.request.body as StateValues
}
