import { fileURLToPath } from 'node:url'
import { readFolder } from '@despatch/templates/read-folder'
import type { TypesetRequest } from '@despatch/templates/typeset'
import { type Typesetters, TypesettingLimitExceeded } from '@despatch/templates/typesetters'
import { expect, test } from 'vitest'
import { openLetterTemplates, type TemplateLetter } from './letter-templates.ts'

const starter = fileURLToPath(import.meta.resolve('@despatch/templates/starter'))
const pdf = Buffer.from('%PDF-1.7')

const letter: TemplateLetter = {
  template: 'renewal@3',
  templateLanguages: ['en'],
  customParams: [
    { key: 'name', value: 'Ms A Person' },
    { key: 'instalments', value: '[{"due":"2026-12-01","amount":"12.50"}]' },
  ],
  standardParams: { businessIdentifier: 'B-7' } as TemplateLetter['standardParams'],
  // the next day in London
  submittedAt: new Date('2027-06-30T23:30:00Z'),
}

function templatesWith(typeset: Typesetters['typeset'] = async () => ({ pdf, pages: 1 })) {
  const reads: string[] = []
  const requests: TypesetRequest[] = []
  const templates = openLetterTemplates({
    readFiles: async (name) => {
      reads.push(name)
      return name === 'renewal@3' ? readFolder(starter) : []
    },
    typesetters: {
      typeset: (request, use) => {
        requests.push(request)
        return typeset(request, use)
      },
    },
  })
  return { templates, reads, requests }
}

test('a letter is typeset with its values, its day in London and its reference', async () => {
  const { templates, requests } = templatesWith()

  expect(await templates.typeset(letter)).toMatchObject({ pdf })
  expect(requests).toMatchObject([
    {
      languages: ['en'],
      date: '2027-07-01',
      reference: 'B-7',
      address: [],
      title: 'Your council tax is overdue',
      values: { name: 'Ms A Person', instalments: [{ due: '2026-12-01', amount: '12.50' }] },
    },
  ])
})

test('a version is read once', async () => {
  const { templates, reads } = templatesWith()
  await templates.typeset(letter)
  await templates.typeset(letter)

  expect(reads).toEqual(['renewal@3'])
})

test('a letter without a reference has none', async () => {
  const { templates, requests } = templatesWith()
  const standardParams = { businessIdentifier: null } as TemplateLetter['standardParams']
  await templates.typeset({ ...letter, standardParams })

  expect(requests[0]).not.toHaveProperty('reference')
})

test.each([
  [
    'the faults of the compiler, with their places',
    async () => ({ faults: [{ place: 'letter.typ', line: 3, message: 'unknown variable: x' }] }),
    'The letter cannot be made from template renewal@3: letter.typ:3 unknown variable: x',
  ],
  [
    'a limit that is exceeded',
    () => Promise.reject(new TypesettingLimitExceeded('memory')),
    'The letter cannot be made from template renewal@3: letter.typ takes more memory than a letter may',
  ],
])('refuses a letter for %s', async (_, typeset, detail) => {
  const { templates } = templatesWith(typeset)

  expect(await templates.typeset(letter)).toEqual({
    finding: { rule: 'template', severity: 'refusal', detail },
  })
})

test('another error is no finding about the letter', async () => {
  const died = new Error('A process that typesets letters has ended')
  const { templates } = templatesWith(() => Promise.reject(died))

  await expect(templates.typeset(letter)).rejects.toBe(died)
})

test('a version that is not published is an error, and is looked for again', async () => {
  const { templates, reads } = templatesWith()
  const unknown = { ...letter, template: 'renewal@4' }

  await expect(templates.typeset(unknown)).rejects.toThrow('Template renewal@4 does not exist')
  await expect(templates.find('renewal@4')).rejects.toThrow()
  expect(reads).toEqual(['renewal@4', 'renewal@4'])
})
