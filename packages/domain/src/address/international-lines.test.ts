import { expect, test } from 'vitest'
import { makeInternationalLines } from './international-lines.ts'

const x = (count: number) => 'x'.repeat(count)

test.each([
  [
    'the country is line 5, in capitals',
    { line1: '1 rue de la Paix', line2: '75002 Paris', country: 'France' },
    { line1: '1 rue de la Paix', line2: '75002 Paris', line5: 'FRANCE', dps: null },
  ],
  [
    'empty lines close up, lines end without a comma',
    { line1: '1 rue de la Paix,,', line3: ' ,', line5: '75002 Paris , ', country: 'Côte d’Ivoire' },
    { line1: '1 rue de la Paix', line2: '75002 Paris', line5: 'CÔTE D’IVOIRE', dps: null },
  ],
  [
    'a last line that repeats the country is printed once',
    { line1: 'a', line2: 'b', line3: 'c', line4: 'd', line5: 'france', country: 'France' },
    { line1: 'a', line2: 'b', line3: 'c', line4: 'd', line5: 'FRANCE', dps: null },
  ],
  [
    'five lines: the shortest neighbours are joined',
    { line1: 'aaaa', line2: 'bbb', line3: 'c', line4: 'dd', line5: 'eeee', country: 'Spain' },
    { line1: 'aaaa', line2: 'bbb', line3: 'c, dd', line4: 'eeee', line5: 'SPAIN', dps: null },
  ],
  [
    'of neighbours that are equally short, the first',
    { line1: 'a', line2: 'b', line3: 'c', line4: 'd', line5: 'e', country: 'Spain' },
    { line1: 'a, b', line2: 'c', line3: 'd', line4: 'e', line5: 'SPAIN', dps: null },
  ],
  [
    'a blank country needs no room',
    { line1: 'a', line2: 'b', line3: 'c', line4: 'd', line5: 'e', country: ' ' },
    { line1: 'a', line2: 'b', line3: 'c', line4: 'd', line5: 'e', dps: null },
  ],
  [
    'five long lines: the country joins the fifth',
    { line1: x(40), line2: x(41), line3: x(42), line4: x(43), line5: x(38), country: 'Spain' },
    { line1: x(40), line2: x(41), line3: x(42), line4: x(43), line5: `${x(38)}, SPAIN`, dps: null },
  ],
  [
    'five full lines: the shortest pair is cut, never the country',
    { line1: x(45), line2: x(45), line3: x(30), line4: x(20), line5: x(45), country: 'Spain' },
    { line1: x(45), line2: x(45), line3: `${x(30)},`, line4: x(45), line5: 'SPAIN', dps: null },
  ],
  [
    'a country longer than 45 characters is cut',
    { line1: 'a', country: `${x(30)} ${x(200)}` },
    { line1: 'a', line5: 'X'.repeat(30), dps: null },
  ],
  [
    'a country in another language, or abbreviated, is printed in English',
    { line1: '1 Hauptstr.', line2: 'DEUTSCHLAND', country: 'Deutschland' },
    { line1: '1 Hauptstr.', line5: 'GERMANY', dps: null },
  ],
  [
    'a last line that is the country as it is printed is printed once',
    { line1: '1 Main St', line2: 'United States of America', country: 'USA' },
    { line1: '1 Main St', line5: 'UNITED STATES OF AMERICA', dps: null },
  ],
  [
    'a country that is not known is printed as it is given',
    { line1: '1 Main St', country: 'Frnace' },
    { line1: '1 Main St', line5: 'FRNACE', dps: null },
  ],
  ['blanks only', { line1: ' ', country: ' ' }, { line1: '-', dps: null }],
])('%s', (_, address, lines) => {
  expect(makeInternationalLines(address)).toEqual(lines)
})
