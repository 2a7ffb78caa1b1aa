import { eventually } from '@despatch/testing/eventually'
import { someFields } from '@despatch/testing/publish-template'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aTemplateFolder, type GivenFile } from './a-template-folder.ts'
import { type Answer, anAdministration, refusal, type User } from './an-administration.ts'

const administration = await shared(anAdministration())
const { db, pool, service, asAdmin, asOperator, aConsumer, audited, actorOf } = administration
const [name, amount, payBy, instalments] = [
  ...someFields.slice(0, 3).map(({ value }) => value),
  JSON.parse(someFields[3]!.value),
]
const folder = await aTemplateFolder()

const publish = (name: string, files: readonly GivenFile[] = folder.files()): Promise<Answer> =>
  asAdmin('POST', `/templates/${name}/versions`, { files })

/** Returns the audit events about a version. */
async function auditedOf(version: string) {
  const events = await audited('action=template.published')
  return events.filter(({ detail }) => 'template' in detail && detail.template === version)
}

/** Requests a picture or a PDF. */
async function preview(version: string, body: object, user: User = 'operator') {
  const answer = await service.api.inject({
    method: 'POST',
    url: `/administration/v1/templates/${version}/preview`,
    headers: await administration.headersOf(user),
    body,
  })
  return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload }
}

const refused = (field: string, detail: string) =>
  refusal('400 BAD_REQUEST', 'Invalid', detail, field)

describe('POST /templates/{name}/versions', () => {
  test('publishes what was checked as the next version, and audits it', async () => {
    const first = await publish('first')
    expect(first).toMatchObject({
      status: 201,
      body: {
        template: 'first@1',
        name: 'first',
        version: 1,
        title: 'Your council tax is overdue',
        languages: ['en'],
        publishedBy: actorOf('admin'),
        publishedByUserName: 'admin',
        isOfThisRelease: true,
        contracts: [],
      },
    })
    const second = await publish('first', folder.files({ 'README.md': 'Changed' }))
    expect([second.status, second.body.template]).toEqual([201, 'first@2'])
    expect(await auditedOf('first@2')).toEqual([
      {
        actor: actorOf('admin'),
        action: 'template.published',
        consumerId: undefined,
        detail: { template: 'first@2', templateId: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ])
  })

  test('returns the newest version if it has the same content, in any order of files', async () => {
    const first = await publish('again')
    const again = await publish('again', folder.files().toReversed())
    expect(again).toMatchObject({ status: 200, body: first.body })
    expect((await asOperator('GET', '/templates/again/versions')).body.versions).toHaveLength(1)
    expect(await auditedOf('again@1')).toHaveLength(1)
  })

  test('publishes one version if two requests with the same files wait for each other', async () => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query(`select pg_advisory_xact_lock(hashtextextended('template race', 0))`)
      const both = Promise.all([publish('race'), publish('race')])
      await eventually(
        async () => {
          const { rows } = await pool.query(
            `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'
               and query like '%pg_advisory_xact_lock%'`,
          )
          return rows.length === 2
        },
        { message: 'both have checked the template and wait' },
      )
      await client.query('commit')
      const answers = await both
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 201])
      expect(answers[0]!.body).toEqual(answers[1]!.body)
    } finally {
      client.release()
    }
    expect(await auditedOf('race@1')).toHaveLength(1)
  })

  test('refuses files with mistakes, and names them', async () => {
    const answer = await publish(
      'mistaken',
      folder.files({ 'fields.json': '{"type":"object"}', 'virus.exe': '' }),
    )
    expect(answer.status).toBe(400)
    expect(answer.body.errors.map(({ detail }: { detail: string }) => detail)).toEqual([
      expect.stringMatching(/^virus\.exe cannot be part of a template/),
      'fields.json needs properties',
    ])
    const twice = [...folder.files(), ...folder.files()]
    expect((await publish('mistaken', twice)).body.errors[0].detail).toMatch(/ is given twice$/)
  })

  test('refuses a template whose samples or longest values give no letter', async () => {
    const withNote = '#import "/despatch.typ": *\n#if "note" in fields { fields.nothing }\n'
    const broken = await publish('unsound', folder.files({ 'letter.typ': withNote }))
    expect(broken).toMatchObject(
      refused('files', 'longest (en): letter.typ:2 dictionary does not contain key "nothing"'),
    )
    const inWindow =
      '#import "/despatch.typ": *\n#place(top + left, dx: 10mm, dy: 25mm)[In the window]\n'
    const hidden = await publish('unsound', folder.files({ 'letter.typ': inWindow }))
    expect(hidden.status).toBe(400)
    expect(hidden.body.errors[0].detail).toMatch(/^ordinary \(en\): .*window/)
    expect((await asOperator('GET', '/templates/unsound/versions')).status).toBe(404)
  })

  test('refuses a template whose letter takes more than a letter may', async () => {
    const large = '#import "/despatch.typ": *\n#let rows = range(400000000)\n#rows.len()\n'
    const answer = await publish('large', folder.files({ 'letter.typ': large }))
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0].detail).toMatch(
      /^ordinary \(en\): takes more memory than a letter may/,
    )
  })

  test('requires the admin role', async () => {
    const answer = await asOperator('POST', '/templates/first/versions', { files: folder.files() })
    expect(answer.status).toBe(403)
  })
})

describe('GET /templates', () => {
  test('lists the newest version of each, and the contracts that use any version', async () => {
    const consumerId = await aConsumer('templates.example')
    await publish('used')
    await publish('used', folder.files({ 'README.md': 'Newer' }))
    const terms = { production: 'letter', template: 'used@1' }
    await asAdmin('PUT', `/consumers/${consumerId}/contracts/A/B`, terms)
    await asAdmin('PUT', `/consumers/${consumerId}/contracts/A/RETIRED`, terms)
    await asAdmin('DELETE', `/consumers/${consumerId}/contracts/A/RETIRED`)

    const { body } = await asOperator('GET', '/templates')
    const names = body.templates.map(({ name }: { name: string }) => name)
    expect(names).toEqual(names.toSorted())
    expect(body.templates).toContainEqual(
      expect.objectContaining({ template: 'used@2', contractCount: 1, isOfThisRelease: true }),
    )

    const page = await asOperator('GET', '/templates/used/versions?limit=1')
    expect(page.body.versions).toMatchObject([{ template: 'used@2', contracts: [] }])
    const next = await asOperator(
      'GET',
      `/templates/used/versions?limit=1&cursor=${page.body.nextCursor}`,
    )
    expect(next.body.versions).toMatchObject([
      {
        template: 'used@1',
        contracts: [
          { consumerId, userName: 'templates.example', jobType: 'A', templateReference: 'B' },
        ],
      },
    ])
  })

  test('says if a version was checked by another release', async () => {
    await publish('old')
    await db
      .updateTable('template_version')
      .set({ template_id: Buffer.alloc(32) })
      .where('template', '=', 'old')
      .execute()
    const { body } = await asOperator('GET', '/templates/old/versions')
    expect(body.versions).toMatchObject([{ template: 'old@1', isOfThisRelease: false }])
    const again = await publish('old')
    expect([again.status, again.body.template]).toEqual([201, 'old@2'])
  })
})

describe('GET /templates/{name}/versions/{version}', () => {
  test('returns fields, samples and files, and their content on request', async () => {
    await publish('whole')
    const { body } = await asOperator('GET', '/templates/whole/versions/1')
    expect(body).toMatchObject({
      template: 'whole@1',
      fields: { title: 'Your council tax is overdue' },
      samples: [{ sample: 'ordinary', values: { amount: expect.any(String) } }],
    })
    const sizes = folder
      .files()
      .map(({ path, content }) => ({ path, bytes: Buffer.from(content, 'base64').length }))
    expect(body.files).toEqual(sizes)
    const whole = await asOperator('GET', '/templates/whole/versions/1?content=true')
    expect(whole.body.files.map(({ path, content }: GivenFile) => ({ path, content }))).toEqual(
      folder.files(),
    )
  })

  test('answers 404 if there is none', async () => {
    expect(await asOperator('GET', '/templates/whole/versions/9')).toMatchObject(
      refusal(
        '404 NOT_FOUND',
        'TemplateNotFound',
        'There is no template whole@9',
        'No such template',
      ),
    )
  })
})

describe('POST /templates/{name}/versions/{version}/preview', () => {
  test('returns the letter of a sample or of given values, and a page of it', async () => {
    await publish('shown')
    const pdf = await preview('shown/versions/1', { sample: 'ordinary' })
    expect([pdf.status, pdf.headers['content-type']]).toEqual([200, 'application/pdf'])
    expect(pdf.headers['cache-control']).toBe('private, no-store')
    expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-')
    const values = { name, amount, payBy, instalments }
    const other = await preview('shown/versions/1', { values })
    expect([other.status, other.bytes.equals(pdf.bytes)]).toEqual([200, false])
    const picture = await preview('shown/versions/1', { values, page: 1 })
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png'])
    const after = await preview('shown/versions/1', { values, page: 2 })
    expect([after.status, JSON.parse(after.bytes.toString()).errors[0].detail]).toEqual([
      404,
      'The letter has no page 2',
    ])
  })

  test.each([
    ['neither sample nor values', {}, 'sample must be given, or else values'],
    ['an unknown sample', { sample: 'none' }, 'sample must be one of ordinary'],
    [
      'a language without a letter',
      { sample: 'ordinary', languages: ['cy'] },
      'languages has cy, but the template is in en',
    ],
    ['an unknown field', { values: { colour: 'red' } }, /colour/],
  ])('refuses %s', async (_what, body, detail) => {
    await publish('shown')
    const answer = await asOperator('POST', '/templates/shown/versions/1/preview', body)
    expect(answer.status).toBe(400)
    const details = answer.body.errors.map((error: { detail: string }) => error.detail).join('\n')
    expect(details).toMatch(detail)
  })

  test('explains why preflight refuses the letter', async () => {
    const note = 'W'.repeat(10)
    const place = '#place(top + left, dx: 10mm, dy: 25mm)[#fields.note]'
    const source = `#import "/despatch.typ": *\n#if "note" in fields and fields.note == "${note}" [${place}]\n`
    await publish('windowed', folder.files({ 'letter.typ': source }))
    const values = { name, amount, payBy, instalments, note }
    const pdf = await asOperator('POST', '/templates/windowed/versions/1/preview', { values })
    expect(pdf.status).toBe(400)
    expect(pdf.body.errors[0].detail).toMatch(/window/)
    const picture = await preview('windowed/versions/1', { values, page: 1 })
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png'])
  })
})
