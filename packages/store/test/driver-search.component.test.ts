import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import { aRecordStore, driver } from '@despatch/testing/a-record-store'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { type DriverSearch, searchDrivers } from '../src/enquiry/driver-search.ts'

type Details = Partial<DriverRecord['driver']> & {
  before?: DriverRecord['previousDrivingLicences']
  postcode?: string
  photograph?: string
}

/** Every person has the same birthday and is male unless stated, so that a test searches by the rest. */
const day = '1980-02-10'
const people: [number: string, details: Details][] = [
  ['SMITH', { firstNames: 'JOHN PAUL', lastName: 'SMITH' }],
  ['SMYTH', { firstNames: 'JON', lastName: 'SMYTH' }],
  ['SMYTHE', { firstNames: 'MARK', lastName: 'SMYTHE' }],
  ['SMITHSON', { firstNames: 'JOHN', lastName: 'SMITHSON' }],
  ['SMITHJONES', { firstNames: 'JOHN', lastName: 'SMITH-JONES' }],
  ['JONESSMITH', { firstNames: 'JOHN', lastName: 'JONES-SMITH' }],
  ['SMYTHJONES', { firstNames: 'JOHN', lastName: 'SMYTH JONES' }],
  ['SANDHU', { firstNames: 'JOHN', lastName: 'SANDHU' }],
  ['TAYLOR', { firstNames: 'ANN', lastName: 'TAYLOR' }],
  ['TYLER', { firstNames: 'ANN', lastName: 'TYLER' }],
  ['OBRIEN', { firstNames: 'SEÁN', lastName: "O'BRIEN" }],
  ['OBRIEN2', { firstNames: 'SEAN', lastName: 'O BRIEN' }],
  ['OBRIEN3', { firstNames: 'SHAUN', lastName: 'O’Brien-Kelly' }],
  ['GARCIA', { firstNames: 'JOSÉ', lastName: 'GARCÍA' }],
  ['MACDONALD', { lastName: 'MACDONALD' }],
  ['MCDONALD', { lastName: 'MC DONALD' }],
  ['STJOHN', { lastName: 'ST. JOHN' }],
  ['VDBERG', { lastName: 'VAN DER BERG' }],
  ['RUSSIAN', { lastName: 'ИВАНОВ' }],
  ['HARPER', { lastName: 'HARPER' }],
  ['HARPUR', { firstNames: 'ANN', lastName: 'HARPUR' }],
  ['LEROY', { firstNames: 'ANNE-MARIE', lastName: 'LEROY' }],
  ['LEROY2', { firstNames: 'ANNEMARIE', lastName: 'LEROY' }],
  ['RHYSJONES', { lastName: 'RHYS-JONES' }],
  ['RITECOOPER', { lastName: 'RITE COOPER' }],
  ['LONG', { lastName: `${'王'.repeat(89)}李` }],
  [
    'RENAMED',
    {
      firstNames: 'GRACE',
      lastName: 'HOLLOWAY',
      gender: 'Female',
      before: [
        {
          drivingLicenceNumber: 'X',
          firstNames: 'GRACE',
          lastName: 'PEMBERTON',
          dateOfBirth: '1981-02-10',
        },
        { drivingLicenceNumber: 'Y', firstNames: 'GRACE', lastName: 'HOLLOWAY' },
      ],
    },
  ],
  ['AB1', { lastName: 'POSTED', postcode: 'AB1 2CD' }],
  ['AB12', { lastName: 'POSTED', postcode: 'AB12 3EF' }],
  ['AB1OUT', { lastName: 'POSTED', postcode: 'AB1' }],
  ['AB1OTHER', { lastName: 'POSTED', postcode: 'AB1 9ZZ' }],
  ['FACE', { lastName: 'FACE', photograph: Buffer.from('a jpeg').toString('base64') }],
]
const store = await shared(aRecordStore())
await store.published(
  people.map(([number, details]) => aDriver(number, details)),
  { kind: 'driver' },
)

function aDriver(number: string, { before, postcode, photograph, ...details }: Details) {
  return driver(number, {
    ...(before && { previousDrivingLicences: before }),
    ...(photograph !== undefined && { photograph }),
    driver: {
      gender: 'Male',
      dateOfBirth: day,
      ...(postcode !== undefined && { address: { unstructuredAddress: { postcode } } }),
      ...details,
    },
  })
}

const anySearch: DriverSearch = {
  kinds: ['driver'],
  criteria: {},
  lastNameMatchType: 'exact',
  firstNamesMatchType: 'phonetic',
  previousNames: true,
  previousDatesOfBirth: true,
  withPhotographs: false,
  orderBy: 'relevance',
  limit: 50,
  offset: 0,
}
const search = (criteria: DriverSearch['criteria'], options: Partial<DriverSearch> = {}) =>
  searchDrivers(store.pool, { ...anySearch, criteria, ...options })
const phonetic = { lastNameMatchType: 'phonetic' } as const
const find = async (...asked: Parameters<typeof search>) =>
  (await search(...asked)).drivers.map(({ drivingLicenceNumber }) => drivingLicenceNumber)

describe('exact match: the whole name, ignoring case, accents, apostrophes, hyphens and spaces', () => {
  test.for([
    ['smith', ['SMITH']],
    ['  Smith ', ['SMITH']],
    ['Smith Jones', ['SMITHJONES']],
    ['smithjones', ['SMITHJONES']],
    ["O'Brien", ['OBRIEN2', 'OBRIEN']],
    ['O‘BRIEN', ['OBRIEN2', 'OBRIEN']],
    ['obrien', ['OBRIEN', 'OBRIEN2']],
    ['Garcia', ['GARCIA']],
    ['Macdonald', ['MACDONALD']],
    ['Van-der-Berg', ['VDBERG']],
    ['Garci\u0301a', ['GARCIA']],
    ['ＧＡＲＣＩＡ', ['GARCIA']],
    ['ИВАНОВ', ['RUSSIAN']],
    ['Smit', []],
  ] as const)('%s', async ([lastName, found]) => {
    expect((await find({ lastName, dateOfBirth: day })).toSorted()).toEqual(found.toSorted())
  })

  test('requires all first names', async () => {
    const exactly = { firstNamesMatchType: 'exact' } as const
    expect(await find({ lastName: 'Smith', firstNames: 'john-paul' }, exactly)).toEqual(['SMITH'])
    expect(await find({ lastName: 'Smith', firstNames: 'John' }, exactly)).toEqual([])
    expect(await find({ lastName: 'García', firstNames: 'Jose' }, exactly)).toEqual(['GARCIA'])
  })
})

describe('phonetic match: names that sound alike, equal names first', () => {
  test.for([
    ['Smith', ['SMITH', 'SMYTH', 'SMYTHE']],
    ['Smyth', ['SMYTH', 'SMYTHE', 'SMITH']],
    ['Smyth-Jones', ['SMYTHJONES', 'SMITHJONES']],
    ['McDonald', ['MCDONALD', 'MACDONALD']],
    ['Saint John', ['STJOHN']],
    ['Sinjin', ['STJOHN']],
    ['Vandenberg', ['VDBERG']],
    ['Vanderberg', ['VDBERG']],
  ] as const)('%s', async ([lastName, found]) => {
    expect(await find({ lastName, gender: 'Male' }, phonetic)).toEqual(found)
  })

  test('requires more than an equal phonetic code: Smith does not match Sandhu', async () => {
    expect(await find({ lastName: 'Taylor', gender: 'Male' }, phonetic)).toEqual([
      'TAYLOR',
      'TYLER',
    ])
    expect(await find({ lastName: 'Sandhu', gender: 'Male' }, phonetic)).toEqual(['SANDHU'])
  })

  test('accepts less similar names beside a date of birth or a whole postcode', async () => {
    const postcode = { equals: ['AB12CD', 'AB12', 'AB1'] }
    expect(await find({ lastName: 'Smith', dateOfBirth: day }, phonetic)).toEqual([
      'SMITH',
      'SMYTH',
      'SMYTHE',
      'SMITHSON',
    ])
    expect(await find({ lastName: 'Hosted', postcode }, phonetic)).toEqual(['AB1', 'AB1OUT'])
    const beginning = { equals: ['AB1'], beginning: 'AB1' }
    expect(await find({ lastName: 'Hosted', postcode: beginning }, phonetic)).toEqual([])
  })

  test('accepts somewhat less similar names beside equal first names', async () => {
    const john = { lastName: 'Smith', firstNames: 'John' }
    expect(await find(john, phonetic)).toEqual(['SMITH', 'SMYTH', 'SMITHSON'])
    expect(await find({ lastName: 'Smith', gender: 'Male' }, phonetic)).not.toContain('SMITHSON')
  })

  test('lists an equal name without first names before a similar name', async () => {
    expect(await find({ lastName: 'Harper', gender: 'Male' }, phonetic)).toEqual([
      'HARPER',
      'HARPUR',
    ])
  })

  test.for(['Anne-Marie', 'Annemarie'])(
    'accepts first names in one word or two: %s',
    async (firstNames) => {
      expect((await find({ lastName: 'Leroy', firstNames })).toSorted()).toEqual([
        'LEROY',
        'LEROY2',
      ])
    },
  )

  test.for([
    ['Reece Jones', ['RHYSJONES']],
    ['Wrighte-Cooper', ['RITECOOPER']],
  ] as const)('compares each part of a double name: %s', async ([lastName, found]) => {
    expect(await find({ lastName, gender: 'Male' }, phonetic)).toEqual(found)
  })

  test('accepts a long name of letters that take three bytes', async () => {
    const asked = { lastName: '王'.repeat(90), dateOfBirth: day }
    expect(await find(asked, phonetic)).toEqual(['LONG'])
  })

  test.for([
    ['full name', null, null, '𠀀'],
    ['last name', '𠀀', null, null],
    ['first names', null, '𠀀', null],
  ])(
    'finds no candidates for a name without a comparable word: %s',
    async ([, last, first, full]) => {
      const { rows } = await store.pool.query(
        `select driver_candidates_query($1, 'phonetic', $2, 'phonetic', $3, null, true, null, null, 'Male', false) as query`,
        [last, first, full],
      )
      expect(rows).toEqual([{ query: "'GM' & '-'" }])
    },
  )

  test('finds a similar name with another first letter', async () => {
    expect(await find({ lastName: 'Olloway', gender: 'Female' }, phonetic)).toEqual(['RENAMED'])
  })

  test.for([
    ['Jack', ['SMITH']],
    ['Johnny', ['SMITH']],
    ['Mark', []],
  ] as const)('accepts a short form of a first name: %s', async ([firstNames, found]) => {
    expect(await find({ lastName: 'Smith', firstNames })).toEqual(found)
  })

  test.for([
    ['bill', 'william', true],
    ['ron', 'aaron', true],
    ['liz', 'beth', true],
    ['harry', 'harrison', true],
    ['bert', 'rob', false],
    ['sue', 'sandra', false],
  ] as const)('knows that %s and %s are short forms: %s', async ([short, other, isShort]) => {
    const { rows } = await store.pool.query(
      'select $2 = any (short_forms($1)) as asked, $1 = any (short_forms($2)) as held',
      [short, other],
    )
    expect(rows).toEqual([{ asked: isShort, held: isShort }])
  })

  test('requires each given first name to match a stored one, so that Jon finds John Paul', async () => {
    expect(await find({ lastName: 'Smith', firstNames: 'Jon' }, phonetic)).toEqual([
      'SMITH',
      'SMYTH',
    ])
    expect(await find({ lastName: 'Smith', firstNames: 'Paul Jon' }, phonetic)).toEqual(['SMITH'])
    expect(await find({ lastName: 'Smith', firstNames: 'John Mark' }, phonetic)).toEqual([])
    expect(await find({ lastName: "O'Brien", firstNames: 'Shawn' })).toEqual(['OBRIEN', 'OBRIEN2'])
  })
})

describe('token match: names that contain every word as a whole word, equal names first', () => {
  test.for([
    ['Smith', ['SMITH', 'JONESSMITH', 'SMITHJONES']],
    ['Jones-Smith', ['JONESSMITH', 'SMITHJONES']],
    ['Berg', ['VDBERG']],
    ["O'Brien", ['OBRIEN', 'OBRIEN2', 'OBRIEN3']],
    ['Smit', []],
  ] as const)('%s', async ([lastName, found]) => {
    expect(await find({ lastName, dateOfBirth: day }, { lastNameMatchType: 'token' })).toEqual(
      found,
    )
  })

  test('applies to first names too', async () => {
    const token = { firstNamesMatchType: 'token' } as const
    expect(await find({ lastName: 'Smith', firstNames: 'Paul' }, token)).toEqual(['SMITH'])
    expect(await find({ lastName: 'Smith', firstNames: 'Jon' }, token)).toEqual([])
  })
})

describe('full name match: each word matches the last name or a first name, at least one the last name', () => {
  test.for([
    ['John Smith', ['SMITH', 'JONESSMITH', 'SMITHJONES', 'SMYTH', 'SMYTHJONES']],
    ['SMITH, JON', ['SMYTH', 'SMITH', 'JONESSMITH', 'SMITHJONES', 'SMYTHJONES']],
    ['Paul Smith', ['SMITH']],
    ['John Paul', []],
    ['Sean O Brien', ['OBRIEN', 'OBRIEN2', 'OBRIEN3']],
    ['王', []],
    ['John H Smith', []],
    ['Paul J. Smith', []],
  ] as const)('%s', async ([fullName, found]) => {
    expect((await find({ fullName, gender: 'Male' })).toSorted()).toEqual(found.toSorted())
  })

  test('lists the equal name first, then names that contain every word', async () => {
    const found = await find({ fullName: 'John Paul Smith', gender: 'Male' })
    const others = await find({ fullName: 'John Smith', gender: 'Male' })
    expect(found).toEqual(['SMITH'])
    expect(others.slice(0, 3)).toEqual(['JONESSMITH', 'SMITHJONES', 'SMITH'])
    expect(others.slice(3).toSorted()).toEqual(['SMYTH', 'SMYTHJONES'])
  })
})

describe('previous licences', () => {
  const female = { gender: 'Female', firstNames: 'Grace' } as const

  test('find a driver by a former name, under the present name, and mark the result as redirected', async () => {
    const { drivers, totalCount } = await search({ ...female, lastName: 'Pemberton' })
    expect({ drivers, totalCount }).toEqual({
      drivers: [
        {
          drivingLicenceNumber: 'RENAMED',
          lastName: 'HOLLOWAY',
          gender: 'Female',
          photograph: null,
          redirected: true,
        },
      ],
      totalCount: 1,
    })
  })

  test('list a driver who has the name at present once, and without the mark', async () => {
    const { drivers, totalCount } = await search({ ...female, lastName: 'Holloway' })
    expect(totalCount).toBe(1)
    expect(drivers.map(({ redirected }) => redirected)).toEqual([false])
  })

  test('find a driver by a date of birth, and mark the result as redirected', async () => {
    const { drivers } = await search({ ...female, lastName: 'Holloway', dateOfBirth: '1981-02-10' })
    expect(drivers.map(({ redirected }) => redirected)).toEqual([true])
  })

  test('do not count when the search excludes them', async () => {
    const without = { previousNames: false, previousDatesOfBirth: false }
    const born = { ...female, dateOfBirth: '1981-02-10' }
    expect(await find({ ...female, lastName: 'Pemberton' }, without)).toEqual([])
    expect(await find(born, without)).toEqual([])
    expect(await find(born, { ...without, previousDatesOfBirth: true })).toEqual(['RENAMED'])
  })
})

describe('postcodes', () => {
  test.for([
    [
      'a whole one finds itself and the partial one that is its prefix',
      { equals: ['AB12CD', 'AB12', 'AB1'] },
      ['AB1', 'AB1OUT'],
    ],
    ['a whole one alone', { equals: ['AB12CD'] }, ['AB1']],
    [
      'an outward code does not find a longer one',
      { equals: ['AB1'], beginning: 'AB1' },
      ['AB1OUT', 'AB1', 'AB1OTHER'],
    ],
    ['nor one whose sector makes it look alike', { equals: ['AB12'], beginning: 'AB12' }, ['AB12']],
    ['a sector', { equals: ['AB12', 'AB1'], beginning: 'AB1 2' }, ['AB1', 'AB1OUT']],
  ] as const)('%s', async ([, postcode, found]) => {
    expect(await find({ lastName: 'Posted', postcode })).toEqual(found)
  })
})

describe('order and pages', () => {
  const posted = { lastName: 'Smith', gender: 'Male' } as const

  test('every driver is on exactly one page, and each page has the total', async () => {
    const options = { lastNameMatchType: 'phonetic', limit: 2 } as const
    const pages = await Promise.all(
      [0, 2, 4].map((offset) => search(posted, { ...options, offset })),
    )
    expect(
      pages.map(({ drivers, totalCount }) => [totalCount, drivers.map(({ lastName }) => lastName)]),
    ).toEqual([
      [3, ['SMITH', 'SMYTH']],
      [3, ['SMYTHE']],
      [3, []],
    ])
  })

  test('drivers are sorted by last name, then by date of birth', async () => {
    const token = { lastNameMatchType: 'token' } as const
    expect(await find(posted, { ...token, orderBy: 'lastName' })).toEqual([
      'JONESSMITH',
      'SMITH',
      'SMITHJONES',
    ])
    expect(await find(posted, { ...token, orderBy: 'dateOfBirth' })).toEqual([
      'JONESSMITH',
      'SMITH',
      'SMITHJONES',
    ])
  })
})

test('photographs are returned on request', async () => {
  const face = { lastName: 'Face', gender: 'Male' } as const
  const [without] = (await search(face)).drivers
  const [withOne] = (await search(face, { withPhotographs: true })).drivers
  expect([without?.photograph, withOne?.photograph]).toEqual([null, Buffer.from('a jpeg')])
})

test('two sets are searched together, and a driver in both comes from the first', async () => {
  const both = await aRecordStore()
  await both.published([aDriver('A', { lastName: 'OLD' }), aDriver('B', { lastName: 'OLD' })], {
    kind: 'driver',
  })
  await both.published([aDriver('A', { lastName: 'OLD', gender: 'Female' })], {
    kind: 'uat-driver',
    source: 'b',
  })

  const found = await Promise.all(
    ([['driver'], ['uat-driver'], ['uat-driver', 'driver']] as const).map((kinds) =>
      searchDrivers(both.pool, {
        ...anySearch,
        kinds,
        criteria: { lastName: 'Old', dateOfBirth: day },
      }),
    ),
  )
  await both.close()

  expect(
    found.map(({ drivers }) => drivers.map((each) => [each.drivingLicenceNumber, each.gender])),
  ).toEqual([
    [
      ['A', 'Male'],
      ['B', 'Male'],
    ],
    [['A', 'Female']],
    [
      ['A', 'Female'],
      ['B', 'Male'],
    ],
  ])
})

test('a search without a current set finds no driver', async () => {
  const empty = await aRecordStore()
  const page = await searchDrivers(empty.pool, {
    ...anySearch,
    criteria: { lastName: 'A', gender: 'Male' },
  })
  await empty.close()
  expect(page).toEqual({ drivers: [], totalCount: 0 })
})

test('the search functions work without a search_path, for inserts and for building the index', async () => {
  const bare = await aRecordStore()
  await bare.pool.query(`
    begin;
    set local search_path = '';
    create table public.driver_search_s9 partition of public.driver_search for values in (9);
    insert into public.driver_search_s9 (set_id, driving_licence_number, identity, last_name, first_names, gender)
      values (9, 'A', 0, 'Van der Müller', 'José', 'Male');
    reindex table public.driver_search_s9;
    commit`)
  const { rows } = await bare.pool.query(
    'select last_words, last_sound, first_words from driver_search',
  )
  await bare.close()
  expect(rows).toEqual([
    { last_words: 'van der muller', last_sound: 'fandermuler', first_words: 'jose' },
  ])
})
