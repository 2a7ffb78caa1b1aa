import { hash } from 'node:crypto'
import { readLetter } from '@despatch/letters/read-letter'
import { fileKey } from '@despatch/object-store/keys'
import { findProofSourceByKey } from '@despatch/store/print-job/proof'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aProblem } from '@despatch/testing/a-problem'
import { eventually } from '@despatch/testing/eventually'
import { aSubmission, someStandardParams } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { beforeEach, describe, expect, test } from 'vitest'
import { noTemplates } from './a-made-letter.ts'
import {
  address,
  anAddressEditor,
  correction,
  other,
  reason,
  refused,
} from './an-address-editor.ts'
import { aPng } from './some-letters.ts'

const editor = await shared(anAddressEditor())
// Keeps the documents of one test out of the print run of the next.
beforeEach(() => editor.runs.gather())

describe('200: POST /print-jobs/{printJobKey}/address', () => {
  test('the letter is made again with its number, and the submitted address is kept', async () => {
    const letter = await editor.aHeldLetter()

    const { status, body } = await editor.override(letter.key)

    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'PENDING',
      heldBy: 'contract',
      printableAddress: {
        recipientLine1: 'Ms A Newname',
        line1: '2 Quarry Lane',
        line5: 'LERWICK',
        postcode: 'ZE1 0AA',
      },
      submittedAddress: { recipientName: 'Ms A Person', address: someStandardParams.address },
      addressOverride: { recipientName: 'Ms A Newname', address },
      addressOverriddenAt: expect.stringMatching(/Z$/),
    })
    const kept = await editor.keptOf(letter.key)
    expect(kept).toMatchObject({
      documentId: letter.documentId,
      standardParams: someStandardParams,
      addressOverride: { recipientName: 'Ms A Newname', address },
      pages: 1,
      sheets: 1,
    })
    expect(kept.sha256).not.toBe(letter.sha256)
    const printed = await editor.printedOf(kept.sha256)
    expect(printed).toContain('Ms A Newname 2 Quarry Lane LERWICK ZE1 0AA')
    expect(printed).not.toMatch(/Person|High Street|AB1/)
    expect(await editor.objectsToDeleteOf(letter.sha256, kept.sha256)).toEqual([
      { sha256: letter.sha256, cause: 'replaced' },
    ])
  })

  test('the print job has the comment of the new letter', async () => {
    const letter = await editor.aHeldLetter()

    const long = { ...correction, recipientName: 'A'.repeat(91) }
    const noted = await editor.override(letter.key, long)
    const { body } = await editor.override(letter.key)

    expect(noted.body.comment).toBe(
      'P504: recipientName is printed only in part: it does not fit in two lines.',
    )
    expect(body).not.toHaveProperty('comment')
  })

  test('the despatch method follows the new address', async () => {
    const letter = await editor.aHeldLetter()
    const to = (country: string) => ({
      address: { internationalAddress: { line1: '1 Rue Haute', country } },
      reason,
    })

    const producedAs = async (correction: object) =>
      (await editor.override(letter.key, correction)).body.producedAs

    expect(await producedAs(to('France'))).toBe('INTERNATIONAL_EU')
    expect(await producedAs(to('Norway'))).toBe('INTERNATIONAL_ROW')
    expect(await producedAs(correction)).toBe('SECOND')
  })

  test('the timeline and the audit log have actor and reason, without the address', async () => {
    const letter = await editor.aHeldLetter()

    const { body } = await editor.override(letter.key)

    const { actor } = editor
    expect(body.events.at(-1)).toEqual({
      sequence: 4,
      transition: 'override-address',
      status: 'PENDING',
      actor,
      reason,
      actorUserName: 'editor',
      at: expect.any(String),
      findings: [],
    })
    expect(JSON.stringify(body.events)).not.toMatch(/Quarry|Newname|ZE1/)
    const { consumerId } = editor.runs.consumer
    const detail = { printJobKey: letter.key, printJobId: letter.id, reason }
    expect(await editor.recordedOf(letter.key)).toEqual([
      { actor, action: 'print-job.address-overridden', consumerId, detail },
    ])
  })

  test('a repetition, or an override with the current address, changes nothing', async () => {
    const letter = await editor.aHeldLetter()
    const asItIs = { address: someStandardParams.address, reason }

    expect((await editor.override(letter.key, asItIs)).body).not.toHaveProperty('addressOverride')
    const first = await editor.override(letter.key)
    const again = await editor.override(letter.key)

    expect(again).toMatchObject({ status: 200, body: first.body })
    expect(await editor.recordedOf(letter.key)).toHaveLength(1)
  })

  test('the letter keeps its files', async () => {
    const sha256 = hash('sha256', aPng)
    await editor.administration.objects.put(fileKey(sha256), aPng, 'image/png')
    const photo = { fileId: 'photo', source: 'custom-param', mediaType: 'image/png' } as const
    const { key } = await editor.aLetter({
      heldBy: 'contract',
      files: [{ ...photo, sha256, bytes: aPng.length }],
    })

    expect((await editor.override(key)).status).toBe(200)
    expect(await editor.keptOf(key)).toMatchObject({ pages: 2, sheets: 1 })
  })

  test('the proof shows the new letter, without findings of the previous one', async () => {
    const { key } = await editor.aHeldLetter()
    await editor.runs.pool.query(
      `update print_job_event set findings = '[{"rule":"pages-max","severity":"note","detail":"of before"}]'
       where print_job_key = $1 and transition = 'accept'`,
      [key],
    )

    await editor.override(key)

    const source = await findProofSourceByKey(editor.runs.db, key)
    const { request, findings } = await readLetter(
      { objects: editor.administration.objects, templates: noTemplates },
      source!,
    )
    expect(findings).toEqual([])
    expect(request).toMatchObject({
      printableAddress: { recipientLine1: 'Ms A Newname', line1: '2 Quarry Lane' },
    })
  })

  test('an override without a name keeps the current name, even if it was corrected', async () => {
    const letter = await editor.aHeldLetter()

    await editor.override(letter.key)
    const { body } = await editor.override(letter.key, { address: other, reason })

    expect(body.addressOverride).toEqual({ recipientName: 'Ms A Newname', address: other })
    expect(body.submittedAddress.recipientName).toBe('Ms A Person')
    expect(await editor.printedOf((await editor.keptOf(letter.key)).sha256)).toContain(
      'Ms A Newname 3 Harbour Steps ZE2 9XX',
    )
  })

  test('the letter is found by its current and its submitted postcode', async () => {
    const { key } = await editor.aHeldLetter()
    await editor.override(key, {
      address: { unstructuredAddress: { line1: '4 Hill', postcode: 'KW15 1AA' } },
      reason,
    })
    const foundBy = async (find: string) => {
      const { body } = await editor.as('POST', '/print-jobs/search', { find })
      return body.printJobs.map(({ printJobKey }: { printJobKey: string }) => printJobKey)
    }

    expect(await foundBy('KW15 1AA')).toEqual([key])
    expect(await foundBy('ab12cd')).toContain(key)
  })

  test('a letter that was removed from a run and gathered into it again is the new letter, and the run keeps no data of the old one', async () => {
    const letter = await editor.aLetter()
    await editor.runs.gather({ runAgeMs: 3_600_000 })
    const { batchNumber } = await editor.show(letter.key)
    await editor.act(letter.key, 'hold')
    await editor.override(letter.key)
    const { rows: keptByRun } = await editor.runs.pool.query(
      `select encode(sha256, 'hex') as sha256, bytes from print_run_document where print_job_key = $1`,
      [letter.key],
    )

    await editor.act(letter.key, 'release')
    const [document] = await claimed(letter.key)

    const { sha256, bytes } = await editor.keptOf(letter.key)
    expect(document).toEqual({ batchNumber, documentId: letter.documentId, sha256, bytes })
    expect(sha256).not.toBe(letter.sha256)
    expect(keptByRun).toEqual([{ sha256, bytes }])
    expect(await editor.printedOf(sha256)).toContain('2 Quarry Lane')
  })
})

async function hasSearchTerms(key: string): Promise<boolean> {
  const { rows } = await editor.runs.pool.query(
    'select search_terms is not null as "isWritten" from print_job where key = $1',
    [key],
  )
  return rows[0].isWritten
}

/** Returns the print job's document as in the manifest, after a provider has claimed the print run. */
async function claimed(key: string) {
  // A pass leaves out a print job whose search terms are being written at that moment.
  await eventually(() => hasSearchTerms(key), { message: 'its search terms are written' })
  await editor.runs.gather({ runAgeMs: 3_600_000 })
  const { batchNumber } = await editor.show(key)
  await editor.runs.gather()
  expect(await editor.runs.claim('north', batchNumber)).toMatchObject({ kind: 'claimed' })
  const { rows } = await editor.runs.pool.query(
    `select batch_number as "batchNumber", document_id as "documentId", encode(sha256, 'hex') as sha256, bytes
     from print_run_document where print_job_key = $1 and removed_at is null and sequence is not null`,
    [key],
  )
  return rows as { batchNumber: string; documentId: string; sha256: string; bytes: number }[]
}

/** A held print job that is still being checked. */
async function aSubmitted(consumer = editor.runs.consumer): Promise<string> {
  const submission = aSubmission(consumer, { heldBy: 'contract' })
  await saveSubmissions(editor.runs.pool, [submission])
  return submission.key
}

async function printedAsSupplied(): Promise<string> {
  const others = await somePrintRuns(editor.administration.url)
  const { pool, consumer } = others
  await pool.query(
    `update contract set production = 'as-supplied', supplied_file_key = 'pdfContent' where id = $1`,
    [consumer.contractId],
  )
  const key = await aSubmitted(consumer)
  await others.accept([key])
  await others.close()
  return key
}

async function purged(): Promise<string> {
  const { key } = await editor.aHeldLetter()
  await editor.runs.pool.query('update print_job set purge_began_at = now() where key = $1', [key])
  expect(await editor.show(key)).not.toHaveProperty('submittedAddress')
  return key
}

describe('409', () => {
  test.each<[what: string, make: () => Promise<string>, whyNot: string]>([
    ['it is not held', async () => (await editor.aLetter()).key, 'Hold it first.'],
    [
      'it is in a print run',
      async () => (await editor.runs.anOpenRun()).keys[0]!,
      'It is in a print run. Hold it first.',
    ],
    [
      'it is still being checked',
      aSubmitted,
      'It is still being checked: hold it and wait until it is PENDING.',
    ],
    ['its personal data was removed', purged, 'Its personal data has been deleted.'],
    [
      'it is printed as supplied',
      printedAsSupplied,
      'Its address is part of the file that its consumer supplied. Cancel it and ask the consumer to submit it again.',
    ],
  ])('%s', async (_what, make, whyNot) => {
    const key = await make()

    await editor.expectUntouched(key, async () => {
      expect(await editor.override(key)).toMatchObject(refused(whyNot))
    })
  })

  test('the new letter would be refused: the answer has the text of the finding, and nothing changes', async () => {
    const { key } = await editor.aHeldLetter()

    await editor.expectUntouched(key, async () => {
      const { status, body } = await editor.override(key, { ...correction, recipientName: '北京' })

      expect({ status, body }).toMatchObject(refused(body.errors[0].detail))
      expect(body.errors[0].detail).toMatch(/recipient/i)
      expect(body.errors[0].detail).not.toContain('北京')
    })
  })
})

test('400: there is no kind of address, or there are two', async () => {
  const { key } = await editor.aHeldLetter()
  const two = { ...address, internationalAddress: { line1: 'A', country: 'B' } }

  for (const given of [{}, two]) {
    expect(await editor.override(key, { address: given, reason })).toMatchObject(
      aProblem(400, { title: 'address' }),
    )
  }
})

test('granting and revoking the role takes effect at once', async () => {
  const { administration } = editor
  const { key } = await editor.aHeldLetter()
  const give = (...roles: string[]) =>
    administration.asAdmin('PUT', `/consumers/${administration.ids.operator}/roles`, { roles })

  expect((await give('operator', 'address-editor')).body.roles).toContain('address-editor')
  expect((await editor.override(key, correction, 'operator')).status).toBe(200)
  await give('operator')
  expect((await editor.override(key, { address: other, reason }, 'operator')).status).toBe(403)
})

test('the address is not logged', () => {
  const logged = editor.administration.lines.join('')

  expect(logged).not.toMatch(/Newname|Quarry|Harbour|LERWICK|ZE1|ZE2|KW15|telephone/)
  expect(logged).toContain('/address')
})
