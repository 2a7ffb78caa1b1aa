import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readLetters } from './read-letters.ts'

const directory = await mkdtemp(join(tmpdir(), 'despatch-letters-'))
afterAll(() => rm(directory, { recursive: true }))

async function read(text: string) {
  const path = join(directory, 'people.csv')
  await writeFile(path, text)
  const rows: unknown[] = []
  for await (const row of readLetters(path, new AbortController().signal)) rows.push(row)
  return rows
}

test('rows have their numbers in a spreadsheet; quoted line ends and rows without a value count', async () => {
  const text = [
    '\ufeffrecipientName,line1,country',
    '"A ""B""","1\n2",F',
    '',
    ' ,,',
    'C,3,F',
    'D,4',
  ].join('\r\n')
  const letter = (recipientName: string, line1: string) => ({
    letter: { recipientName, address: { internationalAddress: { line1, country: 'F' } } },
  })

  expect(await read(text)).toEqual([
    { row: 2, ...letter('A "B"', '1\n2') },
    { row: 5, ...letter('C', '3') },
    { row: 6, fault: 'the row has 2 cells and the header 3' },
  ])
})

test('lines may end in more ways than one', async () => {
  const rows = await read('recipientName,line1,country\r\nA,1,F\nB,2,F\r')

  expect(rows).toHaveLength(2)
})

test.each<[what: string, text: string, message: RegExp]>([
  ['no header', '', /^people\.csv has no header$/],
  [
    'quotes that do not fit',
    'recipientName,line1\n"A" secret,1\n',
    /^people\.csv cannot be read as CSV in line 2: invalid closing quote$/,
  ],
])('refused: %s', async (_, text, message) => {
  await expect(read(text)).rejects.toThrow(message)
})
