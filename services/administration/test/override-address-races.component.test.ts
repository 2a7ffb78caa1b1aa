import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAddressEditor, other, reason, refused } from './an-address-editor.ts'

const editor = await shared(anAddressEditor())

describe('POST /print-jobs/{printJobKey}/address: only one of two concurrent changes succeeds', () => {
  /**
   * Runs overrides until they wait for a print job that another transaction is changing, then commits that transaction.
   */
  async function whileChanged<Answer>(
    key: string,
    change: (run: (text: string) => Promise<unknown>) => Promise<unknown>,
    overrides: () => Promise<Answer>,
    waiting = 1,
  ): Promise<Answer> {
    const client = await editor.runs.pool.connect()
    try {
      await client.query('begin')
      await client.query('select from print_job where key = $1 for update', [key])
      const answers = overrides()
      await eventually(
        async () => {
          const { rows } = await editor.runs.pool.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
               and query like '%for no key update%'`,
          )
          return rows.length >= waiting
        },
        { message: 'the overrides wait for the print job' },
      )
      await change((text) => client.query(text, [key]))
      await client.query('commit')
      return await answers
    } finally {
      client.release()
    }
  }

  test('of two overrides, the second is refused because the letter has changed, and its document may be deleted', async () => {
    const { key, sha256 } = await editor.aHeldLetter()
    const unnamedBefore = await editor.unnamedCount()

    const answers = await whileChanged(
      key,
      async () => {},
      () => Promise.all([editor.override(key), editor.override(key, { address: other, reason })]),
      2,
    )

    const winner = answers.find(({ status }) => status === 200)!
    const loser = answers.find(({ status }) => status !== 200)
    expect(loser).toMatchObject(refused('Its letter has changed in the meantime. Check it again.'))
    expect((await editor.keptOf(key)).addressOverride).toEqual(winner.body.addressOverride)
    expect(await editor.recordedOf(key)).toHaveLength(1)
    expect(await editor.objectsToDeleteOf(sha256, (await editor.keptOf(key)).sha256)).toEqual([
      { sha256, cause: 'replaced' },
    ])
    expect((await editor.unnamedCount()) - unnamedBefore).toBe(1)
  })

  test.each([
    [
      'released',
      'update print_job set held_at = null, held_by = null where key = $1',
      'Hold it first.',
    ],
    [
      'gathered',
      `update print_job set held_at = null, held_by = null, batch_number = 'R0' where key = $1`,
      'It is in a print run. Hold it first.',
    ],
    ['cancelled', 'update print_job set deleted_at = now() where key = $1', 'It was cancelled.'],
  ])(
    'an override is refused if the print job is %s while the letter is being made',
    async (_name, text, whyNot) => {
      const { key } = await editor.aHeldLetter()

      await editor.expectUntouched(key, async () => {
        const answer = await whileChanged(
          key,
          (run) => run(text),
          () => editor.override(key),
        )
        expect(answer).toMatchObject(refused(whyNot))
      })
    },
  )

  test('a concurrent override, release and gathering leave one letter with one address', async () => {
    const { key } = await editor.aHeldLetter()

    const [overridden] = await Promise.all([
      editor.override(key),
      editor.act(key, 'release'),
      editor.runs.gather({ runAgeMs: 3_600_000 }),
    ])

    const { printableAddress, sha256 } = await editor.keptOf(key)
    expect([200, 409]).toContain(overridden.status)
    expect(printableAddress.line1).toBe(
      overridden.status === 200 ? '2 Quarry Lane' : '1 High Street',
    )
    expect(await editor.printedOf(sha256)).toContain(printableAddress.line1)
  })
})
