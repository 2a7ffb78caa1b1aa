import { randomUUID } from 'node:crypto'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())
const { say } = running
const runs = await shared(somePrintRuns(running.databaseUrl))
await say('providers add south --name South --location SOUTH')
await say('sites set south SOUTH --enable --share 0')

/** Makes the provider of a run silent since a day. */
async function abandon(batchNumber: string): Promise<void> {
  await runs.pool.query(`update provider set last_seen_at = now() - interval '1 day'`)
  await runs.pool.query(
    `update print_run set claimed_at = now() - interval '1 day', acknowledged_at = now() - interval '1 day'
     where batch_number = $1`,
    [batchNumber],
  )
}

describe('providers', () => {
  test('are added, listed and changed, with what is not given left as it was', async () => {
    const added = await say(
      'providers add west --name "West Print" --exchange file-drop',
      '--location HALL --location YARD --away-seconds-max 3600',
    )
    const changed = await say('providers set west --name West')
    const unlimited = await running.documentOf('providers set west --no-away-seconds-max')
    const listed = await say('providers list')

    expect(added).toMatch(/^Print provider west was created\.$/m)
    expect(added).toMatch(/^west +HALL +disabled +100 +0 +any +10 or 1 % .+ A4-PLAIN$/m)
    expect(changed).toMatch(/^west +West +file-drop +3600 s +never$/m)
    expect(unlimited).toMatchObject({ name: 'West', exchange: 'file-drop' })
    expect(unlimited).not.toHaveProperty('awaySecondsMax')
    expect(listed).toMatch(/^north +North +http +- +never$/m)
    expect(listed).toMatch(/^west +YARD +disabled /m)
  })

  test('have sites with the papers and envelopes that they report', async () => {
    const materials = {
      papers: [{ stationery: 'A4-PLAIN', gramsPerSquareMetre: 90 }],
      envelopes: [
        { name: 'C5', grams: 6.5, sheetsMax: 5 },
        { name: 'C4', grams: 14.5, sheetsMax: 50 },
      ],
    }
    await say('sites set south CELLAR')
    await runs.pool.query(
      `update print_site set capabilities = capabilities || $1 where print_location = 'CELLAR'`,
      [JSON.stringify({ materials })],
    )

    const listed = await say('sites list')
    const { sites } = await running.documentOf('sites list --provider south')

    expect(listed).toMatch(/^south +CELLAR .+ 10000 +C5 to 5, C4 to 50 .+ A4-PLAIN \(90 g\/m²\)$/m)
    expect(listed).toMatch(/^south +SOUTH .+ 10000 +any .+ A4-PLAIN$/m)
    expect(sites).toContainEqual(
      expect.objectContaining({ capabilities: expect.objectContaining({ materials }) }),
    )
    await runs.pool.query(`delete from print_site where print_location = 'CELLAR'`)
  })

  test('have sites that are made and changed', async () => {
    const made = await running.documentOf('sites set north ATTIC --share 30')
    const enabled = await say('sites set north ATTIC --enable --reprints-free-percent 5')
    const disabled = await say('sites set north ATTIC --disable')

    const listed = await say('sites list')
    const ofSouth = await running.documentOf('sites list --provider south')

    expect(made).toMatchObject({ printLocation: 'ATTIC', enabled: false, share: 30 })
    expect(enabled).toMatch(/^north +ATTIC +enabled +30 +0 +any +10 or 5 % .+ A4-PLAIN$/m)
    expect(listed).toMatch(/^south +SOUTH +enabled +0 /m)
    expect(listed).toMatch(/^north +ATTIC +disabled +30 /m)
    expect(ofSouth).toEqual({
      sites: [expect.objectContaining({ providerId: 'south', printLocation: 'SOUTH', share: 0 })],
    })
    expect(disabled).toMatch(/^north +ATTIC +disabled +30 +0 +any +10 or 5 % .+ A4-PLAIN$/m)
  })
})

describe('runs', () => {
  test('are listed, shown and released', async () => {
    const { batchNumber } = await runs.anOpenRun(2)

    const listed = await say('runs list --state OPEN --provider north')
    const released = await say(`runs release ${batchNumber}`)
    await runs.gather({ runAgeMs: 3_600_000 })
    const shown = await say(`runs show ${batchNumber}`)
    const page = await running.documentOf('runs list --limit 1')

    expect(listed).toMatch(
      new RegExp(
        `^${batchNumber} +OPEN +north +N +SECOND A4-PLAIN LETTER duplex colour +2 +\\d{4}-`,
        'm',
      ),
    )
    expect(released).toBe(`Print run ${batchNumber} is released within seconds.\n`)
    expect(shown).toMatch(/^ {2}state +RELEASED$/m)
    expect(shown).toMatch(/^ {2}documents +2, 2 sheets, 4 pages, 20 bytes$/m)
    expect(shown).toMatch(/^ {2}release requested +\S+ \(chief\)$/m)
    expect(page).toMatchObject({ printRuns: [{ batchNumber }], nextCursor: batchNumber })
  })

  test('are reassigned, a claimed one only if nothing is printed', async () => {
    const { batchNumber } = await runs.aClaimedRun(2)
    const move = `runs move ${batchNumber} --provider south --location SOUTH`

    const refused = await running.despatch([move, '--reason fire'])
    const moved = await say(move, '--reason fire --nothing-printed --yes')
    const shown = await say(`runs show ${batchNumber}`)

    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: `despatch: Print run ${batchNumber} is claimed. Give --nothing-printed if the provider has confirmed that none of it was or will be printed\n`,
    })
    expect(moved).toMatch(
      new RegExp(`^2 documents of ${batchNumber} reassigned to R\\d+ at SOUTH of south\\.$`, 'm'),
    )
    expect(shown).toMatch(/^ {2}voided +\S+ \(fire\)$/m)
    expect(shown).toMatch(
      /^EXPECTED +DESPATCHED +REFUSED +FAILED +RECALLED +POSTED +MOVED +MISSING$/m,
    )
    expect(shown).toMatch(/^2 +0 +0 +0 +0 +0 +2 +0$/m)
  })

  test('are recalled, in part and whole', async () => {
    const { batchNumber, documentIds } = await runs.anAcknowledgedRun(3)
    const unclaimed = await runs.aReleasedRun()
    const reason = '--reason "wrong fee" --yes'

    const one = await say(`runs recall ${batchNumber} ${documentIds[0]}`, reason)
    const rest = await running.documentOf(`runs recall ${batchNumber} --all`, reason)
    const atOnce = await say(`runs recall ${unclaimed.batchNumber} --all`, reason)
    const listed = await say('runs recalls --state OPEN')

    expect(one).toMatch(
      new RegExp(
        `^The provider is asked to stop 1 document of ${batchNumber}, in recall \\S+\\.$`,
        'm',
      ),
    )
    expect(rest).toMatchObject({ batchNumber, documentCount: 2 })
    expect(atOnce).toBe(
      `1 document of ${unclaimed.batchNumber} will not be printed, and the print jobs are rejected.\n`,
    )
    expect(listed).toMatch(
      new RegExp(`^${rest.recallId} +OPEN +${batchNumber} +north +2 +0 +0 +\\S+ +wrong fee$`, 'm'),
    )
  })
})

describe('runs of an absent provider', () => {
  const recallAll = (batchNumber: string) =>
    running.documentOf(`runs recall ${batchNumber} --all --reason "no answer" --yes`)

  test('are recalled, settled and closed', async () => {
    const { batchNumber, documentIds } = await runs.anAcknowledgedRun(2)
    const { recallId } = await recallAll(batchNumber)
    const note = '--note "The provider is gone" --yes'

    const early = await running.despatch([`runs close ${batchNumber}`, note])
    const undecided = await running.despatch([`runs settle-recall ${recallId}`, note])
    const settled = await say(`runs settle-recall ${recallId} --all-stopped`, note)
    const closed = await say(`runs close ${batchNumber}`, note)
    const again = await running.documentOf(`runs close ${batchNumber}`, note)

    const told = documentIds.map(
      (documentId) =>
        `Attempt 1 at document ${documentId} has not been reported on: recall it, and settle the recall`,
    )
    expect({
      ...early,
      stderr: early.stderr.split(/\n +| \(409\)\n|^despatch: /).toSorted(),
    }).toEqual({ code: 1, stdout: '', stderr: ['', '', ...told] })
    expect(undecided).toMatchObject({
      code: 2,
      stderr:
        'despatch: name the documents that have left with --too-late, or give --all-stopped\n',
    })
    expect(settled).toBe(
      `Recall ${recallId} is ACCEPTED: 2 documents of ${batchNumber} stopped, 0 too late.\n`,
    )
    expect(closed).toMatch(/^ {2}state +CLOSED$/m)
    expect(closed).toMatch(/^ {2}closed +\S+ \(chief\)$/m)
    expect(again).toMatchObject({ batchNumber, state: 'CLOSED', account: { recalled: 2 } })
  })

  test('have letters that were still posted', async () => {
    const { batchNumber, documentIds } = await runs.anAcknowledgedRun(3)
    const [one] = documentIds
    const { recallId } = await recallAll(batchNumber)
    const settled = await say(
      `runs settle-recall ${recallId} --note "by telephone" --yes --too-late`,
      ...documentIds.slice(0, 2),
    )
    await abandon(batchNumber)
    const handoverAt = new Date(Date.now() - 60_000).toISOString()
    const facts = `--carrier "Royal Mail" --handover-at ${handoverAt} --reason docket --yes`
    const key = `--posting-key ${randomUUID()}`

    const neither = await running.despatch([`runs post ${batchNumber}`, facts])
    const first = await say(`runs post ${batchNumber} ${one}`, facts, key)
    const again = await say(`runs post ${batchNumber} ${one}`, facts, key)
    const rest = await running.documentOf(`runs post ${batchNumber} --all`, facts)
    const closed = await say(`runs close ${batchNumber} --note "The provider is gone" --yes`)

    expect(settled).toBe(
      `Recall ${recallId} is PARTLY_ACCEPTED: 1 document of ${batchNumber} stopped, 2 too late.\n`,
    )
    expect(neither).toMatchObject({
      code: 2,
      stderr: 'despatch: name the documents, or give --all\n',
    })
    expect(first).toMatch(
      new RegExp(
        `^1 document of ${batchNumber} despatched on behalf of north in posting [0-9a-f-]{36}\\.\n$`,
      ),
    )
    expect(again).toBe(first)
    expect(rest).toMatchObject({ batchNumber, documentCount: 1 })
    expect(closed).toMatch(/^ {2}state +CLOSED$/m)
  })
})

test('reprints are listed, authorised and refused', async () => {
  const { batchNumber, documentIds } = await runs.anAcknowledgedRun(2)
  const { rows } = await runs.pool.query(
    `insert into reprint (batch_number, document_id, attempt, state, reason_code, reason, requested_by)
     select $1, document_id, 2, 'WAITING', 'JAM', 'torn', $2 from unnest($3::text[]) as row (document_id)
     returning id::text`,
    [batchNumber, running.consumer.consumerId, documentIds],
  )
  const [first, second] = rows.map(({ id }) => id as string)

  const listed = await say('reprints list')
  const authorised = await say(`reprints authorise ${first} --yes`)
  const refused = await running.documentOf(`reprints refuse ${second} --reason "too late" --yes`)
  const waiting = await running.documentOf('reprints list')

  expect(listed).toMatch(
    new RegExp(
      `^${first} +WAITING +${batchNumber} +${documentIds[0]} +2 +north +JAM: torn +\\S+ +somebody$`,
      'm',
    ),
  )
  expect(listed).toContain('No second person is required: no second operator has existed for 7')
  expect(authorised).toBe(`Attempt 2 at ${documentIds[0]} of ${batchNumber} is AUTHORISED.\n`)
  expect(refused).toMatchObject({ state: 'REFUSED', decisionReason: 'too late' })
  expect(waiting).toEqual({ reprints: [] })
})

test('stock is issued as a list or as a range, and shown', async () => {
  const issue = 'stock issue north LICENCE'
  const told = await say(issue, 'A1 A2 --yes')
  const range = await running.documentOf(issue, '--prefix B --first 1 --last 10 --yes')
  const shown = await say('stock show --provider north --job-type LICENCE')
  const nothing = await running.despatch('stock issue north LICENCE')

  expect(told).toMatch(/^2 numbers added to the stock of north\.$/m)
  expect(range).toMatchObject({ added: 10, account: { issued: 12, inStock: 12 } })
  expect(shown).toMatch(/^north +LICENCE +12 +0 +0 +12$/m)
  expect(nothing).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'despatch: Serial numbers are missing: give them as arguments, or use --first and --last\n',
  })
})
