import { documentKey } from '@despatch/object-store/keys'
import { readText } from '@despatch/testing/read-text'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { expect } from 'vitest'
import { aMadeLetter } from './a-made-letter.ts'
import { anAdministration, refusal, type User } from './an-administration.ts'

export const reason = 'asked for by telephone'
export const address = {
  unstructuredAddress: { line1: '2 Quarry Lane', line5: 'LERWICK', postcode: 'ZE1 0AA' },
}
export const other = { unstructuredAddress: { line1: '3 Harbour Steps', postcode: 'ZE2 9XX' } }
export const correction = { recipientName: 'Ms A Newname', address, reason }

/** The service with letters, and an operator who may correct their addresses. */
export async function anAddressEditor() {
  const administration = await anAdministration()
  const runs = await somePrintRuns(administration.url)
  const { objects, ids, addUser } = administration
  const editor = await aUser('editor', 'operator', 'address-editor')

  async function aUser(userName: string, ...roles: Parameters<typeof addUser>[1] & object) {
    const user = userName as User
    ids[user] = await addUser(userName, roles)
    return user
  }

  const aLetter = (detail: Parameters<typeof aMadeLetter>[1] = {}) =>
    aMadeLetter({ ...runs, objects }, detail)

  const override = (key: string, body: unknown = correction, by: User | 'nobody' = editor) =>
    administration.as(by, 'POST', `/print-jobs/${key}/address`, body)

  async function keptOf(key: string) {
    const { rows } = await runs.pool.query(
      `select encode(document_sha256, 'hex') as sha256, document_bytes as bytes, document_pages as pages,
         document_sheets as sheets, 'D' || document_number as "documentId", standard_params as "standardParams",
         printable_address as "printableAddress", address_override as "addressOverride", event_sequence as events
       from print_job where key = $1`,
      [key],
    )
    return rows[0]
  }

  const recordedOf = (key: string) =>
    administration.audited(`action=print-job.address-overridden&about=${key}`)

  /** Returns those of the documents that are marked for deletion. */
  async function objectsToDeleteOf(...sha256s: string[]) {
    const { rows } = await runs.pool.query(
      `select encode(sha256, 'hex') as sha256, cause from doomed_object
       where kind = 'document' and encode(sha256, 'hex') = any ($1)`,
      [sha256s],
    )
    return rows
  }

  return {
    administration,
    runs,
    actor: administration.actorOf(editor),
    aUser,
    aLetter,
    aHeldLetter: () => aLetter({ heldBy: 'contract' }),
    override,
    keptOf,
    recordedOf,
    objectsToDeleteOf,
    /** Returns how many documents were stored without a row that names them. */
    unnamedCount: async () => {
      const { rows } = await runs.pool.query(
        `select count(*)::integer as count from doomed_object where cause = 'unnamed'`,
      )
      return rows[0].count
    },
    as: (method: 'GET' | 'POST', path: string, body?: unknown) =>
      administration.as(editor, method, path, body),
    show: async (key: string) =>
      (await administration.as(editor, 'GET', `/print-jobs/${key}`)).body,
    act: (key: string, action: string) =>
      administration.as(editor, 'POST', `/print-jobs/${key}/${action}`, { reason }),
    /** Returns the text of the first page of a document. */
    printedOf: async (sha256: string) => {
      const object = await objects.get(documentKey(sha256), { bytesMax: 1_000_000 })
      return (await readText(object!.bytes))[0]!
    },
    /** Expects that no row of a print job changes meanwhile. */
    expectUntouched: async (key: string, attempt: () => Promise<void>) => {
      const before = await keptOf(key)
      await attempt()
      expect(await keptOf(key)).toEqual(before)
      expect(await recordedOf(key)).toEqual([])
    },
    close: async () => {
      await runs.close()
      await administration.close()
    },
  }
}

/** The response that says why the address cannot be corrected now. */
export const refused = (detail: string) =>
  refusal('409 CONFLICT', 'NotPossible', detail, 'Not possible now')
