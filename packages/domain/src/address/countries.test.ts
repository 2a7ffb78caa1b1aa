import Countries from 'i18n-iso-countries'
import { expect, test } from 'vitest'
import { findCountry, nearCountry } from './countries.ts'
import { moreCountryNames, printedCountryNames } from './country-names.ts'

test('a country has a name in English, names in other languages, and two codes', () => {
  const given = ['France', 'de', 'DEU', 'Deutschland', 'Kongo']
  expect(given.map((text) => findCountry(text)?.printed)).toEqual([
    ...['FRANCE', 'GERMANY', 'GERMANY', 'GERMANY'],
    undefined,
  ])
})

test.each([
  ...[
    ['France', 'FR', 'FRANCE'],
    ['The Lebanon', 'LB', 'THE LEBANON'],
    ['Saba', 'BQ', 'SABA'],
    ['Grand Old Republic of France', 'FR', 'GRAND OLD REPUBLIC OF FRANCE'],
    [' the  netherlands ', 'NL', 'THE NETHERLANDS'],
  ],
  ...[
    ['French Republic', 'FR', 'FRENCH REPUBLIC'],
    ['Republic of Ireland', 'IE', 'REPUBLIC OF IRELAND'],
  ],
  ...[
    ['Réunion', 'RE', 'RÉUNION'],
    ['St. Lucia', 'LC', 'ST. LUCIA'],
    ['Laos', 'LA', 'LAOS'],
  ],
  ...[
    ['Bosnia & Herzegovina', 'BA', 'BOSNIA & HERZEGOVINA'],
    ['Holland', 'NL', 'HOLLAND'],
  ],
  ...[
    ['Canary Islands', 'ES', 'CANARY ISLANDS'],
    ['Côte d’Ivoire', 'CI', 'CÔTE D’IVOIRE'],
  ],
  ...[
    ['Congo', 'CG', 'CONGO'],
    ['Democratic Republic of the Congo', 'CD', 'DEMOCRATIC REPUBLIC OF THE CONGO'],
  ],
  ...[
    ['Republic of Korea', 'KR', 'REPUBLIC OF KOREA'],
    ['Republic of China', 'TW', 'REPUBLIC OF CHINA'],
  ],
  ...[
    ['Kingdom of Saudi Arabia', 'SA', 'KINGDOM OF SAUDI ARABIA'],
    ['Jersey', 'JE', 'JERSEY'],
  ],
  ...[
    ['USA', 'US', 'UNITED STATES OF AMERICA'],
    ['u.s.a.', 'US', 'UNITED STATES OF AMERICA'],
  ],
  ...[
    ['de', 'DE', 'GERMANY'],
    ['DEU', 'DE', 'GERMANY'],
    ['Deutschland', 'DE', 'GERMANY'],
  ],
  ...[
    ['España', 'ES', 'SPAIN'],
    ['Ελλάδα', 'GR', 'GREECE'],
    ['RUS', 'RU', 'RUSSIA'],
  ],
  ['United Kingdom of Great Britain and Northern Ireland', 'GB', 'UNITED KINGDOM'],
] as const)('%s is %s, printed as %s', (given, code, printed) => {
  expect(findCountry(given)).toEqual({ code, printed })
})

test.each([
  'Frnace',
  'Paris',
  'Kongo',
  ' ',
  'Republic of',
  'Very Grand Old Free Republic of France',
  'x'.repeat(256),
  `${'France '.repeat(40)}`,
])('names no country: %s', (given) => {
  expect(findCountry(given)).toBeUndefined()
})

test.each([
  ...[
    ['Frnace', 'France'],
    ['Grmany', 'Germany'],
    ['Untied States', 'United States'],
  ],
  ...[
    ['Holand', 'Holland'],
    ['Gibralter', 'Gibraltar'],
    ['Paris', undefined],
    ['', undefined],
  ],
])('suggests for %s: %s', (given, meant) => {
  expect(nearCountry(given!)).toBe(meant)
})

const codes = Object.keys(Countries.getAlpha2Codes())

test.each(codes)('%s has an English name that names it and fits on a line', (code) => {
  const country = findCountry(code)

  expect(country?.code).toBe(code)
  expect(findCountry(country!.printed)).toEqual(country)
  expect([...country!.printed].length).toBeLessThanOrEqual(45)
  expect(country!.printed).not.toMatch(/[()]|, [A-Z.]+( OF)?$/)
})

test('each of our country names names one known country, and none is lost', () => {
  const ours = [...Object.keys(moreCountryNames), ...Object.keys(printedCountryNames)]
  const names = Object.entries(moreCountryNames).flatMap(([code, each]) =>
    each.map((name): [name: string, code: string] => [name, code]),
  )

  expect(ours.filter((code) => !codes.includes(code))).toEqual([])
  expect(names.filter(([name, code]) => findCountry(name)?.code !== code)).toEqual([])
  expect(names).toHaveLength(95)
})
