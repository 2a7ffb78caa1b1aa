import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { recordColumns } from '@despatch/contracts/records/record-columns'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { aRunningDespatch, asUser } from './a-running-despatch.ts'

const examples = resolve(import.meta.dirname, '../../../docs/examples')

const running = await shared(aRunningDespatch())
const directory = await mkdtemp(join(tmpdir(), 'despatch-records-'))
afterAll(() => rm(directory, { recursive: true }))
beforeEach(() => running.despatch('vehicles abandon --yes'))

async function aFile(name: string, lines: readonly string[]): Promise<string> {
  const path = join(directory, name)
  await writeFile(path, lines.map((line) => `${line}\n`).join(''))
  return path
}

const vehicles = (count: number, make = 'ROVER', from = 0) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ registrationNumber: `V${from + index}`, make }),
  )

async function query(sql: string): Promise<Record<string, unknown>[]> {
  return (await running.pool.query(sql)).rows
}

/** Returns what an enquiry would find: makes by registration number. */
async function found(): Promise<Record<string, string>> {
  const rows =
    await query(`select registration_number as number, record ->> 'make' as make from vehicle_record
    where set_id = (select id from record_set where kind = 'vehicle' and state = 'CURRENT')`)
  return Object.fromEntries(rows.map(({ number, make }) => [number, make]))
}

describe('import', () => {
  test('takes a whole file and publishes it; a second one takes its place; rollback brings it back', async () => {
    const first = await aFile('first.ndjson', vehicles(3, 'OLD'))
    const second = await aFile('second.ndjson', vehicles(2, 'NEW'))

    const imported = await running.despatch(`vehicles import ${first}`)
    await running.despatch(`vehicles import ${second}`)
    const afterSecond = await found()
    const back = await running.despatch('vehicles rollback')

    expect(imported).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Record set \d+ is current: 3 vehicles, 3 of them from this source\.\n$/,
      ),
      stderr: 'All rows are read. Publishing …\n',
    })
    expect(afterSecond).toEqual({ V0: 'NEW', V1: 'NEW' })
    expect(back).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Record set \d+ is current again: 3 vehicles\.\n$/),
      stderr: '',
    })
    expect(await found()).toEqual({ V0: 'OLD', V1: 'OLD', V2: 'OLD' })
    expect((await running.despatch('vehicles sets')).stdout).toMatch(
      /^SET +STATE +MODE +RECORDS +ROWS +REJECTED .*\n\d+ +RETIRED +replace +2 +2 +0 .*\n\d+ +CURRENT +replace +3 +3 +0 /,
    )
  })

  test('--update puts rows over the current set', async () => {
    await running.despatch(`vehicles import ${await aFile('base.ndjson', vehicles(2, 'OLD'))}`)
    const more = await aFile('more.ndjson', vehicles(2, 'NEW', 1))

    const { stdout } = await running.despatch(`vehicles import ${more} --update`)

    expect(stdout).toMatch(/is current: 3 vehicles, 2 of them from this source\.$/m)
    expect(await found()).toEqual({ V0: 'OLD', V1: 'NEW', V2: 'NEW' })
  })

  test('of CSV: rejected rows go to a file with their reasons, which can be corrected and imported', async () => {
    const source = await aFile('mixed.csv', [
      'registrationNumber,make,yearOfManufacture',
      'V1,"ROVER, RED",2019',
      'V2,ROVER,soon',
      'V1,ROVER,2020',
      'V3',
      'V4,ROVER,',
    ])

    const ended = await running.despatch(`vehicles import ${source} --rejects-max 3`)

    const rejects = `${source}.rejects.csv`
    expect(ended).toEqual({
      code: 3,
      stdout: expect.stringMatching(
        new RegExp(
          `^Record set \\d+ is current: 2 vehicles, .*\n3 of 5 rows rejected: ${rejects}\n$`,
        ),
      ),
      stderr: expect.any(String),
    })
    expect(await readFile(rejects, 'utf8')).toBe(
      [
        'row,reasons,registrationNumber,make,yearOfManufacture',
        '2,yearOfManufacture must be a number,V2,ROVER,soon',
        '3,registrationNumber repeats that of an earlier row,V1,ROVER,2020',
        '4,row has 1 cells and the header 3,V3\n',
      ].join('\n'),
    )
    expect((await stat(rejects)).mode & 0o777).toBe(0o600)

    const mended = join(directory, 'mended.csv')
    const text = await readFile(rejects, 'utf8')
    await writeFile(
      mended,
      text.replace('soon', '2021').replace(',V1,', ',V5,').replace('V3', 'V3,,'),
    )
    const again = await running.despatch(`vehicles import ${mended} --update`)

    expect(again).toMatchObject({ code: 0 })
    expect(Object.keys(await found()).sort()).toEqual(['V1', 'V2', 'V3', 'V4', 'V5'])
  })

  test('of NDJSON: the file of rejects has the line unchanged, and is written to the given path', async () => {
    const source = await aFile('lines.ndjson', [...vehicles(1), '{"registrationNumber": }', '[]'])
    const rejects = join(directory, 'elsewhere.csv')

    const document = await running.despatch([
      `vehicles import ${source} --json`,
      `--rejects ${rejects} --rejects-max 100%`,
    ])

    expect(document).toMatchObject({ code: 3, stderr: '' })
    expect(JSON.parse(document.stdout)).toMatchObject({
      state: 'CURRENT',
      recordCount: 1,
      rowsRead: 3,
      rowsRejected: 2,
      rejects,
    })
    expect(await readFile(rejects, 'utf8')).toBe(
      'row,reasons,original\n2,row must be JSON,"{""registrationNumber"": }"\n3,row must be an object,[]\n',
    )
  })

  test('publishes nothing when too many rows are rejected, and the others when more are allowed', async () => {
    await running.despatch(`vehicles import ${await aFile('good.ndjson', vehicles(1, 'OLD'))}`)
    const source = await aFile('bad.ndjson', [...vehicles(50, 'NEW'), '{}'])

    const refused = await running.despatch(`vehicles import ${source}`)
    const before = await found()
    const allowed = await running.despatch(`vehicles import ${source} --rejects-max 2%`)

    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toBe(
      [
        `despatch: 1 of 51 rows rejected, more than 1%: ${source}.rejects.csv`,
        '          Nothing was published. Publish the others with a greater --rejects-max, or abandon it with: despatch vehicles abandon\n',
      ].join('\n'),
    )
    expect(before).toEqual({ V0: 'OLD' })
    expect(allowed.code).toBe(3)
    expect(Object.keys(await found())).toHaveLength(50)
    // The second run read no row, but its file contains the reject of the first.
    expect(await readFile(`${source}.rejects.csv`, 'utf8')).toContain(
      '51,registrationNumber must not be null',
    )
  })

  test('an empty source, and one of which nothing is taken, publish nothing', async () => {
    const empty = await running.despatch(`vehicles import ${await aFile('empty.ndjson', [])}`)
    await running.despatch('vehicles abandon --yes')
    const useless = await running.despatch([
      `vehicles import ${await aFile('useless.ndjson', ['{}'])}`,
      '--rejects-max 100%',
    ])

    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('there are no rows') })
    expect(useless).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('all rows (1) were rejected'),
    })
  })

  test('another import blocks until it is finished or abandoned', async () => {
    const half = await aFile('half.ndjson', [...vehicles(1), '{}'])
    await running.despatch(`vehicles import ${half}`)
    const other = await aFile('other.ndjson', vehicles(1))

    const refused = await running.despatch(`vehicles import ${other}`)
    const alone = await running.despatch('vehicles abandon')
    const abandoned = await running.despatch('vehicles abandon --yes')
    const nothing = await running.despatch('vehicles abandon --yes')

    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /Record set \d+ of kind vehicle and mode replace is unfinished/,
      ),
    })
    expect(alone.code).toBe(2)
    expect(alone.stdout).toMatch(/^This drops 2 rows of record set \d+\. This cannot be undone\.$/m)
    expect(abandoned.stdout).toMatch(/^Record set \d+ was abandoned after 2 rows\.$/m)
    expect(nothing).toMatchObject({
      code: 1,
      stderr: 'despatch: no import of vehicles is unfinished\n',
    })
    expect((await running.despatch(`vehicles import ${other}`)).code).toBe(0)
  })

  test('after Ctrl-C it reports where it stopped, and the same command continues from there', async () => {
    const path = await aFile('long.ndjson', [
      '{"registrationNumber":"BAD NUMBER"}',
      ...vehicles(30_000),
    ])
    const blocker = await running.pool.connect()

    const child = running.start(`vehicles import ${path}`)
    const ended = child.ended
    // One part has been read, and the next is blocked.
    await eventually(async () => (await rowsRead()) > 0, { message: 'rows are read' })
    await blocker.query('begin')
    await blocker.query("select from record_set where state = 'LOADING' for update")
    child.interrupt()
    const interrupted = await ended
    await blocker.query('commit')
    blocker.release()
    const position = await rowsRead()

    expect(interrupted).toMatchObject({ code: 130, stdout: '' })
    expect(interrupted.stderr).toMatch(
      /^despatch: interrupted after row \d+\. The same command continues from there$/m,
    )
    expect(position).toBeLessThan(30_001)

    const again = await running.despatch(`vehicles import ${path}`)
    expect(again).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/is current: 30000 vehicles, 30000 of them from this source/),
      stderr: expect.stringMatching(/^Continuing record set \d+ after row [1-9]\d*\.$/m),
    })
    expect(await readFile(`${path}.rejects.csv`, 'utf8')).toBe(
      'row,reasons,original\n1,registrationNumber must be 1 to 8 letters and digits without spaces,"{""registrationNumber"":""BAD NUMBER""}"\n',
    )
  })

  test('continues after a row in the middle of a chunk', async () => {
    const path = await aFile('middle.ndjson', [...vehicles(5), '{}'])
    await running.despatch(`vehicles import ${path}`)
    await query(
      `delete from record_set_reject where row_number > 2 and set_id = (select max(id) from record_set)`,
    )
    await query("update record_set set rows_read = 2, rows_rejected = 0 where state = 'LOADING'")
    await query(
      `delete from vehicle_record_s${await newestSet()} where registration_number >= 'V2'`,
    )

    const again = await running.despatch(`vehicles import ${path} --rejects-max 1`)

    expect(again.stdout).toMatch(/is current: 5 vehicles.*\n1 of 6 rows rejected/)
  })

  test('drivers of both formats give the same records, photographs and previous licences among them', async () => {
    const [csv, ndjson] = [join(directory, 'd.csv'), join(directory, 'd.ndjson')]
    const options = '--seed 7 --today 2026-11-20 --images 20 --out'
    for (const path of [csv, ndjson]) {
      await running.despatch(['drivers generate 300', options, path])
    }
    const records = () =>
      query(`select md5(string_agg(record::jsonb::text || coalesce(cpc::jsonb::text, '') || coalesce(tachograph::jsonb::text, '')
          || coalesce(md5(photograph), ''), '' order by driving_licence_number)) as digest,
          count(*)::int as drivers, count(photograph)::int as photographs
        from driver_record where set_id = (select id from record_set where kind = 'driver' and state = 'CURRENT')`)

    const one = await running.despatch(`drivers import ${csv}`)
    const ofCsv = await records()
    const other = await running.despatch(`drivers import ${ndjson}`)

    expect([one.code, other.code]).toEqual([0, 0])
    expect(ofCsv).toEqual([
      { digest: expect.any(String), drivers: 300, photographs: expect.any(Number) },
    ])
    expect(ofCsv[0]?.photographs).toBeGreaterThan(20)
    expect(await records()).toEqual(ofCsv)
    const [search] =
      await query(`select count(*) filter (where identity = 0)::int as current, count(*)::int as every
      from driver_search where set_id = (select id from record_set where kind = 'driver' and state = 'CURRENT')`)
    expect(search?.current).toBe(300)
    expect(search?.every).toBeGreaterThan(300)
  })

  test('the examples of the guide are taken whole', async () => {
    const names = (await readdir(examples)).filter((name) => /^(driver|vehicle)s\./.test(name))

    expect(names.sort()).toEqual([
      'drivers.csv',
      'drivers.ndjson',
      'vehicles.csv',
      'vehicles.ndjson',
    ])
    for (const name of names) {
      const rejects = join(directory, `${name}.rejects.csv`)
      const command = [name.split('.')[0]!, 'import', join(examples, name), '--rejects', rejects]
      expect(await running.despatch(command)).toMatchObject({ code: 0 })
    }
  })

  test.for(['driver', 'vehicle'] as const)('the guide names every column of a %s', async (kind) => {
    const guide = await readFile(join(examples, '../records.md'), 'utf8')

    const named = [...guide.matchAll(/^- `([\w.]+)`: /gm)].map(([, path]) => path)

    const columns = recordColumns(kind).map(({ path }) => path)
    expect(columns.filter((path) => !named.includes(path))).toEqual([])
  })

  test.each<[what: string, args: string, said: RegExp]>([
    ['standard input', '-', /a source is read twice\. Give a file/],
    ['no such file', '/nowhere.csv', /\/nowhere\.csv cannot be read \(ENOENT\)/],
    ['a folder', `${directory} --format csv`, /is not a file/],
    ['a name that tells no format', '/etc/hostname', /give --format/],
    ['an unknown format', 'PATH --format xml', /Allowed choices are csv, ndjson/],
    ['rejects over the source', 'PATH --rejects PATH', /names the source itself/],
    ['a wrong number of rejects', 'PATH --rejects-max few', /It must be a number of rows/],
    ['a header that is wrong', 'PATH --format csv', /the header is not valid:/],
  ])('ends with 2, and has begun nothing: %s', async (_, args, said) => {
    const path = await aFile('usage.ndjson', ['colour'])

    const ended = await running.despatch(['vehicles import', args.replaceAll('PATH', path)])

    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(said) })
    expect(await query("select from record_set where state = 'LOADING'")).toEqual([])
  })

  test('ends with 2 where CSV can be read no further, and publishes nothing', async () => {
    const rows = Array.from({ length: 40_000 }, (_, index) => `V${index}`)
    const source = await aFile('broken.csv', ['registrationNumber', ...rows, '"V" 1'])

    const { code, stderr } = await running.despatch(`vehicles import ${source}`)

    expect(code).toBe(2)
    expect(stderr).toMatch(
      /the source cannot be read as CSV in line 40002: invalid closing quote\. Nothing was published\. First run despatch vehicles abandon, and then correct the source$/m,
    )
  })

  test('requires the role of admin', async () => {
    const variables = asUser(running.colleague)
    const path = await aFile('mine.ndjson', vehicles(1))

    expect(await running.despatch(`vehicles import ${path}`, variables)).toMatchObject({
      code: 1,
    })
    expect(await running.despatch('vehicles sets', variables)).toMatchObject({ code: 0 })
  })
})

describe('generate', () => {
  test('writes the same records for the same seed, without any Despatch', async () => {
    const nowhere = { DESPATCH_DATA_DIR: '/nowhere/at/all' }
    const generate = (seed = 1) =>
      running.despatch(`vehicles generate 3 --today 2026-11-20 --seed ${seed}`, nowhere)

    const [one, same, other] = [await generate(), await generate(), await generate(2)]

    expect(one).toMatchObject({ code: 0, stderr: '' })
    expect(one.stdout.trimEnd().split('\n')).toHaveLength(3)
    expect(same).toEqual(one)
    expect(other.stdout).not.toBe(one.stdout)
  })

  test.each([
    ['no number', 'many', /It must be a whole number/],
    ['a day that does not exist', '1 --today 2026-02-30', /It must be a date that exists/],
    ['images above 100', '1 --images 101', /It must be from 0 to 100/],
    ['a file that is there', '1 --out /etc/hostname', /already exists/],
    ['a folder that is not there', '1 --out /nowhere/d.csv', /the directory of/],
  ])('ends with 2: %s', async (_, args, said) => {
    const { code, stderr } = await running.despatch(['drivers generate', args])

    expect([code, stderr]).toEqual([2, expect.stringMatching(said)])
  })
})

async function rowsRead(): Promise<number> {
  const [row] = await query("select rows_read from record_set where state = 'LOADING'")
  return Number(row?.rows_read ?? 0)
}

async function newestSet(): Promise<unknown> {
  const [row] = await query('select max(id)::text as id from record_set')
  return row?.id
}
