import { expect, test } from 'vitest'
import { readTemplate, type TemplateFile } from './read-template.ts'
import { templateId } from './template-id.ts'

const file = (path: string, text: string | Uint8Array): TemplateFile => ({
  path,
  bytes: Buffer.from(text),
})
const fields = file(
  'fields.json',
  JSON.stringify({ title: 'T', type: 'object', properties: { name: { type: 'string' } } }),
)
const sample = file('samples/ordinary.json', '{ "name": "Ada" }')
const sound = [file('letter.typ', 'Dear #fields.name'), fields, sample]

test('a template has the languages of its sources', () => {
  const languagesOf = (files: TemplateFile[]) => {
    const read = readTemplate(files)
    return 'template' in read ? read.template.languages : read.faults
  }
  expect(languagesOf(sound)).toEqual(['en'])
  expect(languagesOf([file('letter.cy.typ', 'x'), fields, sample])).toEqual(['cy'])
  expect(languagesOf([...sound, file('letter.cy.typ', 'x')])).toEqual(['en', 'cy'])
})

test.each<[what: string, files: TemplateFile[], place: string, message: RegExp]>([
  ['no source', [fields, sample], 'letter.typ', /^is missing$/],
  ['no fields', [sound[0]!, sample], 'fields.json', /^is missing$/],
  ['no sample', [sound[0]!, fields], 'samples', /at least one file/],
  ['a program', [...sound, file('run.wasm', 'x')], 'run.wasm', /cannot be part/],
  [
    'a path out of the folder',
    [...sound, file('images/../../x.png', 'x')],
    'images/../../x.png',
    /cannot/,
  ],
  [
    'fields that are not JSON',
    [sound[0]!, file('fields.json', '{'), sample],
    'fields.json',
    /not JSON/,
  ],
  [
    'a sample that is not JSON',
    [sound[0]!, fields, file('samples/a.json', '{')],
    'samples/a.json',
    /not JSON/,
  ],
  [
    'a sample with a wrong value',
    [...sound, file('samples/a.json', '{"name":1}')],
    'samples/a.json',
    /^name must be string$/,
  ],
  [
    'too much',
    [...sound, file('images/a.png', new Uint8Array(8 * 1024 * 1024))],
    'the folder',
    /8 MiB/,
  ],
  [
    'too many files',
    [...sound, ...Array.from({ length: 98 }, (_, n) => file(`samples/s${n}.json`, '{"name":""}'))],
    'the folder',
    /100 files/,
  ],
])('%s is refused', (_what, files, place, message) => {
  expect(readTemplate(files)).toEqual({
    faults: expect.arrayContaining([{ place, message: expect.stringMatching(message) }]),
  })
})

test('the id follows from the content, not from the order of the files', () => {
  const id = templateId(sound)
  expect(templateId([...sound].reverse())).toBe(id)
  expect(templateId([file('letter.typ', 'Dear #fields.name!'), fields, sample])).not.toBe(id)
  expect(templateId([file('other.typ', 'Dear #fields.name'), fields, sample])).not.toBe(id)
})
