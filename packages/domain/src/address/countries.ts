import { createRequire } from 'node:module'
import type Countries from 'i18n-iso-countries'
import type { LocaleData } from 'i18n-iso-countries'
import { nearName } from '../json/near-name.ts'
import { moreCountryNames, printedCountryNames } from './country-names.ts'
import { charactersOf, holdsAtMost, lineCharactersMax, tidyLine } from './printed-line.ts'

export type Country = {
  /** ISO 3166-1, two letters. XK: Kosovo. */
  code: string
  /** Its English name in capitals, as the last line of an address. At most 45 characters. */
  printed: string
}

/** No name of a country is longer. */
const nameCharactersMax = 80
/** Shorter names are abbreviations, such as USA and UAE. Post offices require that names are written out. */
const writtenOutCharactersMin = 4

/** The languages of the European Union and of other countries to which much is posted, besides English. */
const languages = [
  ...[
    'de',
    'fr',
    'es',
    'it',
    'pt',
    'nl',
    'sv',
    'da',
    'fi',
    'pl',
    'cs',
    'sk',
    'hu',
    'ro',
    'bg',
    'hr',
  ],
  ...[
    'sl',
    'et',
    'lv',
    'lt',
    'el',
    'mt',
    'ga',
    'nb',
    'nn',
    'is',
    'sq',
    'sr',
    'bs',
    'mk',
    'tr',
    'uk',
  ],
]

/** What official names have before the name, such as Federal Republic of Germany. */
const formOfState =
  /^(?:[A-Z]+ ){0,3}(?:REPUBLIC|KINGDOM|STATE|PRINCIPALITY|DUCHY|COMMONWEALTH|UNION|SULTANATE|FEDERATION|BAILIWICK) OF /

/**
 * Returns the country that somebody named, by a common or official English name, an ISO 3166-1 code of two or three
 * letters, or its name in a language that is spoken in Europe. Case, accents, punctuation and articles do not count.
 * An English name is printed as it is given, unless it is abbreviated or longer than a line. A name that several
 * countries have names none.
 */
export function findCountry(text: string): Country | undefined {
  const given = tidyLine(text)
  if (!given || !holdsAtMost(given, nameCharactersMax)) return undefined
  const { codes, names, printed } = english()
  const plain = plainOf(given)
  const named = names.get(plain) ?? names.get(plain.replace(formOfState, ''))
  const code = named ?? codes.get(given.toUpperCase()) ?? otherNames().get(plain)
  if (code === undefined) return undefined
  const isPrintable =
    plain.length >= writtenOutCharactersMin && holdsAtMost(given, lineCharactersMax)
  return { code, printed: named && isPrintable ? given.toUpperCase() : printed.get(code)! }
}

/**
 * Returns the English name of the country that somebody probably meant by an unknown name, or undefined. Of names that
 * are equally near, one with the same first letter: few mistype it.
 */
export function nearCountry(text: string): string | undefined {
  const given = charactersOf(tidyLine(text) ?? '', nameCharactersMax).join('')
  const initial = given.charAt(0).toUpperCase()
  const isAlike = (name: string) => Number(name.startsWith(initial))
  const alikeFirst = english().listed.toSorted((one, other) => isAlike(other) - isAlike(one))
  return nearName(given, alikeFirst)
}

/** Spelling that does not tell countries apart. */
function plainOf(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/\p{M}|\./gu, '')
    .toUpperCase()
    .replaceAll('&', ' AND ')
    .replaceAll(/[^\p{L}\p{N}]/gu, ' ')
    .replaceAll(/\bST\b/g, 'SAINT')
    .replaceAll(/\bTHE\b/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
}

type English = {
  /** By plain name. */
  names: ReadonlyMap<string, string>
  codes: ReadonlyMap<string, string>
  /** By code. */
  printed: ReadonlyMap<string, string>
  /** The names, as they are written. */
  listed: readonly string[]
}

let ofEnglish: English | undefined
let ofOthers: ReadonlyMap<string, string> | undefined

/** Loads the names when the first country is looked up, because few letters go abroad. */
function english(): English {
  ofEnglish ??= loadEnglish()
  return ofEnglish
}

function otherNames(): ReadonlyMap<string, string> {
  ofOthers ??= loadOthers()
  return ofOthers
}

const require = createRequire(import.meta.url)

function loadLanguage(language: string): [name: string, code: string][] {
  const library: typeof Countries = require('i18n-iso-countries/index.js')
  const data: LocaleData = require(`i18n-iso-countries/langs/${language}.json`)
  library.registerLocale(data)
  return Object.entries(library.getNames(language, { select: 'all' })).flatMap(([code, names]) =>
    names.map((name): [string, string] => [name, code]),
  )
}

function loadEnglish(): English {
  const library: typeof Countries = require('i18n-iso-countries/index.js')
  const ours = Object.entries(moreCountryNames).flatMap(([code, names]) =>
    names.map((name): [string, string] => [name, code]),
  )
  const all = [...loadLanguage('en'), ...ours]
  const firstNames = all.toReversed().map(([name, code]): [string, string] => [code, name])
  const written = { ...Object.fromEntries(firstNames), ...printedCountryNames }
  return {
    // ours decide which of two countries has a name
    names: new Map(all.map(([name, code]) => [plainOf(name), code])),
    codes: new Map([
      ...Object.keys(library.getAlpha2Codes()).map((code): [string, string] => [code, code]),
      ...Object.entries(library.getAlpha3Codes()),
    ]),
    printed: new Map(Object.entries(written).map(([code, name]) => [code, name.toUpperCase()])),
    listed: all.map(([name]) => name),
  }
}

function loadOthers(): ReadonlyMap<string, string> {
  const codesOf = new Map<string, Set<string>>()
  for (const [name, code] of languages.flatMap(loadLanguage)) {
    const plain = plainOf(name)
    codesOf.set(plain, (codesOf.get(plain) ?? new Set()).add(code))
  }
  const unique = [...codesOf].filter(([, codes]) => codes.size === 1)
  return new Map(unique.map(([name, codes]) => [name, [...codes][0]!]))
}
