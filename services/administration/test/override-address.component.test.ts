import { hash } from 'node:crypto'
import { readLetter } from '@despatch/letters/read-letter'
import { fileKey } from '@despatch/object-store/keys'
import { holdPrintJob } from '@despatch/store/print-job/hold'
import { findProofSourceByKey } from '@despatch/store/print-job/proof'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aProblem } from '@despatch/testing/a-problem'
import { eventually } from '@despatch/testing/eventually'
import { aSubmission, someStandardParams } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { beforeEach, describe, expect, test } from 'vitest'
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

    const noted = await editor.override(letter.key, {
      ...correction,
      recipientName: 'A'.repeat(91),
    })
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
    expect(await editor.recordedOf(letter.key)).toMatchObject([
      {
        actor,
        consumerId: editor.runs.consumer.consumerId,
        detail: { printJobKey: letter.key, printJobId: letter.id, reason },
      },
    ])
    expect(JSON.stringify(await editor.recordedOf(letter.key))).not.toMatch(/Quarry|Newname|ZE1/)
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
    const { key } = await editor.aLetter({
      heldBy: 'contract',
      files: [
        {
          fileId: 'photo',
          source: 'custom-param',
          sha256,
          bytes: aPng.length,
          mediaType: 'image/png',
        },
      ],
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
    const { request, findings } = await readLetter(editor.administration.objects, source!)
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

  test('an admin may override without the role', async () => {
    const { key } = await editor.aHeldLetter()

    expect((await editor.override(key, correction, 'admin')).status).toBe(200)
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

  test('the letter is released, gathered and claimed with the new address', async () => {
    const { key } = await editor.aHeldLetter()
    await editor.override(key)

    expect((await editor.act(key, 'release')).status).toBe(200)
    const [document] = await claimed(key)

    const { sha256, bytes } = await editor.keptOf(key)
    expect(document).toMatchObject({ sha256, bytes })
    expect(await editor.printedOf(document!.sha256)).toContain('2 Quarry Lane')
  })

  test('a letter that was removed from a run and gathered into it again is the new letter', async () => {
    const letter = await editor.aLetter()
    await editor.runs.gather({ runAgeMs: 3_600_000 })
    const { batchNumber } = await editor.show(letter.key)
    await editor.act(letter.key, 'hold')
    await editor.override(letter.key)

    await editor.act(letter.key, 'release')
    const [document] = await claimed(letter.key)

    expect(document).toMatchObject({ batchNumber, documentId: letter.documentId })
    expect(document!.sha256).not.toBe(letter.sha256)
    expect(await editor.printedOf(document!.sha256)).toContain('2 Quarry Lane')
  })

  test('an open run that lost the letter keeps no data of the old letter', async () => {
    const letter = await editor.aLetter()
    await editor.runs.gather({ runAgeMs: 3_600_000 })
    await editor.act(letter.key, 'hold')
    await editor.override(letter.key)

    const { rows } = await editor.runs.pool.query(
      `select encode(sha256, 'hex') as sha256, bytes, removed_at is not null as "isRemoved"
       from print_run_document where print_job_key = $1`,
      [letter.key],
    )

    const { sha256, bytes } = await editor.keptOf(letter.key)
    expect(rows).toEqual([{ sha256, bytes, isRemoved: true }])
    expect(sha256).not.toBe(letter.sha256)
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

describe('409', () => {
  test('the letter is not held', async () => {
    const { key } = await editor.aLetter()

    await editor.expectUntouched(key, async () => {
      expect(await editor.override(key)).toMatchObject(refused('Hold it first.'))
    })
  })

  test('the letter is in a print run', async () => {
    const { keys } = await editor.runs.anOpenRun()

    expect(await editor.override(keys[0]!)).toMatchObject(
      refused('It is in a print run. Hold it first.'),
    )
  })

  test('a provider has claimed the letter', async () => {
    const { keys } = await editor.runs.aClaimedRun()

    expect(await editor.override(keys[0]!)).toMatchObject(
      refused('A provider has claimed it: recall it from its print run.'),
    )
  })

  test('the letter is still being checked', async () => {
    const submission = aSubmission(editor.runs.consumer, { heldBy: 'contract' })
    await saveSubmissions(editor.runs.pool, [submission])

    expect(await editor.override(submission.key)).toMatchObject(
      refused('It is still being checked: hold it and wait until it is PENDING.'),
    )
  })

  test('the letter was deleted', async () => {
    const { key } = await editor.aHeldLetter()
    await editor.act(key, 'cancel')

    expect(await editor.override(key)).toMatchObject(refused('It was cancelled.'))
  })

  test('the personal data was removed', async () => {
    const { key } = await editor.aHeldLetter()
    await editor.runs.pool.query('update print_job set purge_began_at = now() where key = $1', [
      key,
    ])

    expect(await editor.override(key)).toMatchObject(refused('Its personal data has been deleted.'))
    expect(await editor.show(key)).not.toHaveProperty('submittedAddress')
  })

  test('the letter is printed as supplied, with its address in the file', async () => {
    const others = await somePrintRuns(editor.administration.url)
    await others.pool.query(
      `update contract set production = 'as-supplied', supplied_file_key = 'pdfContent' where id = $1`,
      [others.consumer.contractId],
    )
    const submission = aSubmission(others.consumer, { heldBy: 'contract' })
    await saveSubmissions(others.pool, [submission])
    await others.accept([submission.key])
    await others.close()

    expect(await editor.override(submission.key)).toMatchObject(
      refused(
        'Its address is part of the file that its consumer supplied. Cancel it and ask the consumer to submit it again.',
      ),
    )
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

describe('400: the answer names the field', () => {
  const _line = (detail: object) => ({
    unstructuredAddress: { ...address.unstructuredAddress, ...detail },
  })

  test.each<[string, unknown, string]>([
    ['no kind of address', { address: {}, reason }, 'address'],
    [
      'two kinds',
      { address: { ...address, internationalAddress: { line1: 'A', country: 'B' } }, reason },
      'address',
    ],
  ])('%s', async (_name, body, title) => {
    const { key } = await editor.aHeldLetter()

    expect(await editor.override(key, body)).toMatchObject(aProblem(400, { title }))
  })
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

test('the role requires the role operator as well', async () => {
  const alone = await editor.aUser('alone', 'address-editor')
  const { key } = await editor.aHeldLetter()

  expect((await editor.override(key, correction, alone)).status).toBe(403)
})

test('a letter that an operator holds can be corrected', async () => {
  const { key } = await editor.aLetter()
  await editor.runs.db
    .transaction()
    .execute((tx) => holdPrintJob(tx, { key }, { actor: 'operator', reason: 'wrong street' }))

  expect((await editor.override(key)).status).toBe(200)
})

test('the address is not logged', () => {
  const logged = editor.administration.lines.join('')

  expect(logged).not.toMatch(/Newname|Quarry|Harbour|LERWICK|ZE1|ZE2|KW15|telephone/)
  expect(logged).toContain('/address')
})
