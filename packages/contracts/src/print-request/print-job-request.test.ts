import { expect, test } from 'vitest'
import { fieldFaults } from '../field-faults.ts'
import { memberReader } from '../request-members.ts'
import { customParamsMax, isPrintJobId, printJobRequestSchema } from './print-job-request.ts'

type Json = Record<string, unknown>
type Row = [path: string, value: unknown, ...faults: string[]]

const aBfpoAddress = { line1: '123 Cpl A Smith', bfpoNumber: 801 }
const anUnstructuredAddress = { line1: '1 High Street', postcode: 'SW1A 1AA' }
const anInternationalAddress = { line1: '1 Rue Haute', country: 'France' }
const upload1 = '11111111-1111-4111-8111-111111111111'
const upload2 = '22222222-2222-4222-8222-222222222222'
const emoji = '😀'

/** A valid request with one value set at a path (`a.b[0].c`); `absent` removes the member. */
const absent = Symbol('absent')
function aRequestWith(path: string, value: unknown): Json {
  const root: Json = {
    standardParams: {
      jobType: 'NOTIFY',
      templateReference: 'NOTIFY',
      recipientName: 'A Person',
      address: { unstructuredAddress: { ...anUnstructuredAddress } },
    },
  }
  let place = root
  const steps = path.split('.')
  const last = steps.pop() as string
  for (const step of steps) {
    place[step] ??= {}
    place = place[step] as Json
  }
  if (value === absent) delete place[last]
  else place[last] = value
  return root
}

/** Reads a request as the service does: null is removed first. */
function faultsOf(request: unknown): string[] {
  const body = structuredClone(request)
  read(body)
  const result = printJobRequestSchema.safeParse(body)
  if (result.success) return []
  return fieldFaults(result.error.issues, body).map(({ code, detail }) => `${code}: ${detail}`)
}

const { read } = memberReader(printJobRequestSchema)

const standard = 'standardParams'
const address = 'standardParams.address'
const handling = 'standardParams.handlingInstruction'
const notNull = (field: string) => `NotNull: ${field} must not be null`
const notEmpty = (field: string) => `NotEmpty: ${field} must not be empty`
const size = (field: string, min: number, max: number) =>
  `Size: ${field} size must be between ${min} and ${max}`
const wrongType = (field: string, expected: string) => `TypeMismatch: ${field} must be ${expected}`
const identifierPattern = (field: string) => `Pattern: ${field} must match "^[A-Za-z0-9_:.-]+$"`
const notStorable = (field: string) =>
  `Pattern: ${field} must not contain NUL characters or unpaired surrogates`
const locating =
  'departmentName, organisationName, poBoxNumber, buildingNumber, subBuildingName, buildingName, thoroughfareName, doubleDependentLocality, dependentThoroughfareName, dependentLocality, postTown'
const noPlace = `NotEmpty: ${address}.structuredAddress must have at least one of ${locating}`
const oneOfFour = `OneOf: ${address} must have exactly one of structuredAddress, unstructuredAddress, bfpoAddress, internationalAddress`

/** Required text: missing, null, empty, one over, exactly full (in code points), not text. */
function requiredText(path: string, max: number): Row[] {
  return [
    [path, absent, notNull(path)],
    [path, null, notNull(path)],
    [path, '', notEmpty(path)],
    [path, 7, wrongType(path, 'a string')],
    [path, 'x'.repeat(max + 1), size(path, 1, max)],
    [path, emoji.repeat(max + 1), size(path, 1, max)],
    [path, emoji.repeat(max)],
    [path, 'x'.repeat(max)],
    [path, emoji],
    [path, 'a\u0000b', notStorable(path)],
    [path, 'a\ud800', notStorable(path)],
    [path, '\udc00b', notStorable(path)],
  ]
}

function optionalText(path: string, max: number): Row[] {
  return [
    [path, absent],
    [path, null],
    [path, ''],
    [path, false, wrongType(path, 'a string')],
    [path, 'x'.repeat(max + 1), size(path, 0, max)],
    [path, emoji.repeat(max)],
    [path, '\u0000', notStorable(path)],
  ]
}

function nullableText(path: string, max: number): Row[] {
  return [
    [path, absent],
    [path, null],
    [path, '', notEmpty(path)],
    [path, {}, wrongType(path, 'a string')],
    [path, 'x'.repeat(max + 1), size(path, 1, max)],
    [path, emoji.repeat(max)],
  ]
}

const dots = 'Pattern: id must not be . or .., alone or beside a slash'
/** Ids of print jobs. What the body may have, a path may have too. */
const idRows: Row[] = [
  ['id', 'Az09_:.-'],
  ['id', 'x'.repeat(255)],
  ['id', '...'],
  ['id', 'x'.repeat(256), size('id', 0, 255)],
  ['id', '', identifierPattern('id')],
  ['id', 'a b', identifierPattern('id')],
  ['id', 'a/b', identifierPattern('id')],
  ['id', 'a\n', identifierPattern('id')],
  ['id', 'a\u0000', notStorable('id')],
  ['id', 'é', identifierPattern('id')],
  ['id', '.', dots],
  ['id', '..', dots],
]

test.for(idRows)('%s %j may be in a path exactly if a request may have it', ([, id, ...faults]) => {
  expect(isPrintJobId(id as string)).toBe(faults.length === 0)
})

const requestRows: Row[] = [
  ...idRows,
  ['id', absent],
  ['id', null],
  ['id', 1, wrongType('id', 'a string')],
  [standard, absent, notNull(standard)],
  [standard, null, notNull(standard)],
  [standard, [], wrongType(standard, 'an object')],
  ['unknown', { any: 'thing' }],
  ['standardParams.unknown', null],
]

const method = `${standard}.despatchMethod`
const methods = 'FIRST INTERNAL ECONOMY INTERNATIONAL_EU INTERNATIONAL_ROW SPECIAL'.split(' ')
const standardRows: Row[] = [
  ...requiredText(`${standard}.jobType`, 255),
  ...requiredText(`${standard}.templateReference`, 255),
  ...requiredText(`${standard}.recipientName`, 255),
  ...nullableText(`${standard}.businessIdentifier`, 255).filter(
    ([, value]) => typeof value !== 'string' || !value.includes(emoji),
  ),
  [`${standard}.businessIdentifier`, 'x'.repeat(255)],
  [`${standard}.businessIdentifier`, 'A/1', identifierPattern(`${standard}.businessIdentifier`)],
  ...[...methods, absent, null].map((given): Row => [method, given]),
  [method, 1, wrongType(method, 'a string')],
  ...['SECOND', 'first', ''].map(
    (given): Row => [
      method,
      given,
      `InvalidFormat: ${method} must be one of ${methods.join(', ')}`,
    ],
  ),
  [handling, null],
  [handling, { line1: 'Enclose', line7: 'the leaflet' }],
  [handling, { line2: 'a' }, notNull(`${handling}.line1`)],
  [handling, { line1: '' }, notEmpty(`${handling}.line1`)],
  [handling, { line1: 'x'.repeat(46) }, size(`${handling}.line1`, 1, 45)],
  ...[2, 3, 4, 5, 6, 7]
    .map((at) => `line${at}`)
    .flatMap((line): Row[] => [
      [handling, { line1: 'a', [line]: '' }],
      [handling, { line1: 'a', [line]: emoji.repeat(45) }],
      [handling, { line1: 'a', [line]: 'x'.repeat(46) }, size(`${handling}.${line}`, 0, 45)],
      [handling, { line1: 'a', [line]: null }],
    ]),
]

/** Rows about one member of an address kind, set in an otherwise valid address of that kind. */
function within(kind: string, valid: Json, rows: Row[]): Row[] {
  return rows.map(([path, value, ...faults]) => {
    const field = path.slice(`${address}.${kind}.`.length)
    const { [field]: _, ...others } = valid
    const content = value === absent ? others : { ...others, [field]: value }
    return [address, { [kind]: content }, ...faults]
  })
}

const structured = `${address}.structuredAddress`
const unstructured = `${address}.unstructuredAddress`
const bfpo = `${address}.bfpoAddress`
const international = `${address}.internationalAddress`
const number = `${bfpo}.bfpoNumber`

const locatingFields = locating.split(', ')
const otherStructuredFields = ['postcode', 'country', 'language', 'dps', 'uprn', 'udprn']

const addressRows: Row[] = [
  [address, absent, notNull(address)],
  [address, null, notNull(address)],
  [address, {}, oneOfFour],
  [address, { unknownAddress: {} }, oneOfFour],
  [
    address,
    { bfpoAddress: aBfpoAddress, unstructuredAddress: anUnstructuredAddress },
    `${oneOfFour}, but has unstructuredAddress and bfpoAddress`,
  ],
  [
    address,
    {
      structuredAddress: { postTown: 'Swansea' },
      unstructuredAddress: anUnstructuredAddress,
      bfpoAddress: aBfpoAddress,
      internationalAddress: anInternationalAddress,
    },
    `${oneOfFour}, but has structuredAddress and unstructuredAddress and bfpoAddress and internationalAddress`,
  ],
  [
    address,
    { bfpoAddress: { line1: 'a' }, internationalAddress: anInternationalAddress },
    `${oneOfFour}, but has bfpoAddress and internationalAddress`,
  ],
  [
    address,
    { structuredAddress: { uprn: 1 } },
    wrongType(`${structured}.uprn`, 'a string'),
    noPlace,
  ],
  ...[structured, unstructured, bfpo, international].map((path): Row => {
    const kind = path.slice(`${address}.`.length)
    return [address, { [kind]: null }, oneOfFour]
  }),

  ...locatingFields.map((field): Row => [address, { structuredAddress: { [field]: 'a' } }]),
  ...[...locatingFields, ...otherStructuredFields].flatMap((field): Row[] =>
    [
      [null],
      [''],
      [1, wrongType(`${structured}.${field}`, 'a string')],
      ['x\u0000', notStorable(`${structured}.${field}`)],
    ].map(([given, ...faults]) => [
      address,
      { structuredAddress: { postTown: 'a', buildingName: 'b', [field]: given } },
      ...(faults as string[]),
    ]),
  ),
  [
    address,
    {
      structuredAddress: null,
      unstructuredAddress: anUnstructuredAddress,
      bfpoAddress: null,
      internationalAddress: null,
    },
  ],
  [address, { structuredAddress: {} }, noPlace],
  [address, { structuredAddress: { postTown: '', thoroughfareName: null } }, noPlace],
  [
    address,
    { structuredAddress: Object.fromEntries(otherStructuredFields.map((field) => [field, 'a'])) },
    noPlace,
  ],

  ...within('unstructuredAddress', anUnstructuredAddress, [
    ...requiredText(`${unstructured}.line1`, 45),
    ...[2, 3, 4, 5].flatMap((line) => optionalText(`${unstructured}.line${line}`, 45)),
    ...requiredText(`${unstructured}.postcode`, 10),
    ...optionalText(`${unstructured}.dps`, 2),
  ]),

  ...within('bfpoAddress', aBfpoAddress, [
    ...requiredText(`${bfpo}.line1`, 45),
    ...[2, 3, 4].flatMap((line) => nullableText(`${bfpo}.line${line}`, 45)),
    ...[
      [absent, notNull(number)],
      [null, notNull(number)],
      ['801', wrongType(number, 'a number')],
      [1.5, wrongType(number, 'an integer')],
      [0, `Min: ${number} must be greater than or equal to 1`],
      [1],
      [9999],
      [10_000, `Max: ${number} must be less than or equal to 9999`],
      [1e20, `Max: ${number} must be less than or equal to 9999`],
    ].map((row) => [number, ...row] as Row),
    ...nullableText(`${bfpo}.postcode`, 10),
    ...['language', 'country'].flatMap((field): Row[] => [
      [`${bfpo}.${field}`, null],
      [`${bfpo}.${field}`, ''],
      [`${bfpo}.${field}`, 'x'.repeat(1_000)],
      [`${bfpo}.${field}`, 1, wrongType(`${bfpo}.${field}`, 'a string')],
    ]),
  ]),

  ...within('internationalAddress', anInternationalAddress, [
    ...requiredText(`${international}.line1`, 45),
    ...[2, 3, 4, 5].flatMap((line) => optionalText(`${international}.line${line}`, 45)),
    ...requiredText(`${international}.country`, 256),
  ]),
]

const someParams = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: `k${index}`, value: 'v' }))
const someFiles = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    fileId: `f${index}`,
    uploadId: upload1.slice(0, 33) + String(index).padStart(3, '0'),
  }))

const duplicate = (field: string) => `Duplicate: ${field} must be unique within the list`
/** Lists of custom parameters with these keys and values. */
const params = (...pairs: [key: unknown, value: unknown][]) =>
  pairs.map(([key, value]) => ({
    ...(key !== absent && { key }),
    ...(value !== absent && { value }),
  }))
const files = (...pairs: [fileId: unknown, uploadId: unknown][]) =>
  pairs.map(([fileId, uploadId]) => ({
    ...(fileId !== absent && { fileId }),
    ...(uploadId !== absent && { uploadId }),
  }))
const key = 'customParams[0].key'
const value = 'customParams[0].value'

const customParamRows = [
  [absent],
  [null],
  [{}, wrongType('customParams', 'an array of objects with key and value')],
  [[], notEmpty('customParams')],
  [someParams(customParamsMax)],
  [someParams(customParamsMax + 1), size('customParams', 1, customParamsMax)],
  [Array(1_000_000).fill({}), size('customParams', 1, customParamsMax)],
  [params([absent, 'v']), notNull(key)],
  [params(['', 'v']), notEmpty(key)],
  [params(['\ud800', 'v']), notStorable(key)],
  [params(['k', absent]), notNull(value)],
  [params(['k', '']), notEmpty(value)],
  [params(['k', null]), notNull(value)],
  [params(['k', 5]), wrongType(value, 'a string')],
  [params(['k', '\u0000']), notStorable(value)],
  [[null], notNull('customParams[0]')],
  [params(['k'.repeat(1_000), 'v'.repeat(3_000_000)])],
  [params(['a', 'v'], ['A', 'v'])],
  [
    params(['a', '1'], ['b', '2'], ['a', '3'], ['a', '']),
    notEmpty('customParams[3].value'),
    duplicate('customParams[2].key'),
    duplicate('customParams[3].key'),
  ],
  [
    params(['a', 'v'], ['a', absent]),
    notNull('customParams[1].value'),
    duplicate('customParams[1].key'),
  ],
].map((row) => ['customParams', ...row] as Row)

const fileId = 'fileParams[0].fileId'
const fileParamRows = [
  [absent],
  [null],
  [[], notEmpty('fileParams')],
  [someFiles(100)],
  [someFiles(101), size('fileParams', 1, 100)],
  [files([absent, upload1]), notNull(fileId)],
  [files(['', upload1]), notEmpty(fileId)],
  [files(['x'.repeat(256), upload1]), size(fileId, 1, 255)],
  [files([emoji.repeat(255), upload1])],
  [files(['f', absent]), notNull('fileParams[0].uploadId')],
  ...[upload1.slice(1), `${upload1}0`].map((wrong) => [
    files(['f', wrong]),
    'Size: fileParams[0].uploadId size must be 36',
  ]),
  [files(['f', upload1], ['f', upload2]), duplicate('fileParams[1].fileId')],
  [files(['f', upload1], ['g', upload1]), duplicate('fileParams[1].uploadId')],
].map((row) => ['fileParams', ...row] as Row)

const target = 'https://example.com/'
const tooShort = 'Size: callbackParams.target size must be at least 11'
const notAnAddress = 'InvalidFormat: callbackParams.target must be an http or https address'
const enabled = 'callbackParams.retryParams.enabled'
const window = 'callbackParams.retryParams.maxRetryWindow'
const header = 'callbackParams.authenticationHeader'
const headerPattern = `Pattern: ${header} must match "^[\\t\\x20-\\x7e\\x80-\\xff]*$"`
const windowOf = (maxRetryWindow: unknown) => ({ retryParams: { maxRetryWindow } })

const callbackRows = [
  ['callbackParams', absent],
  ['callbackParams', null],
  ['callbackParams', {}, notNull('callbackParams.target')],
  ...[
    [{ target: null }, notNull('callbackParams.target')],
    [{ target: '' }, tooShort],
    [{ target: 'http://a.b' }, tooShort],
    [{ target: 'http://a.bc' }],
    [{ target: 'https://example.com:8443/a?token=b' }],
    [{ target: 'HTTPS://EXAMPLE.COM' }],
    [{ target: 'ftp://example.com' }, notAnAddress],
    [{ target: 'javascript:alert(1)' }, notAnAddress],
    [{ target: 'example.com/callbacks' }, notAnAddress],
    [{ target: 'https://     ' }, notAnAddress],
    [{ authenticationHeader: null }],
    [{ authenticationHeader: 'x' }],
    [{ authenticationHeader: `Bearer ${'~'.repeat(5_000)}` }],
    [{ authenticationHeader: '' }, notEmpty(header)],
    [{ authenticationHeader: 1 }, wrongType(header, 'a string')],
    [{ authenticationHeader: 'a\r\nb: c' }, headerPattern],
    [{ authenticationHeader: emoji }, headerPattern],
    ...[{}, null, { enabled: true }, { enabled: false }, { enabled: null }].map((retryParams) => [
      { retryParams },
    ]),
    [{ retryParams: { enabled: 'true' } }, wrongType(enabled, 'a boolean')],
    ...[30, 86_400, null].map((seconds) => [windowOf(seconds)]),
    [windowOf(29), `Min: ${window} must be greater than or equal to 30`],
    [windowOf(86_401), `Max: ${window} must be less than or equal to 86400`],
    [windowOf(30.5), wrongType(window, 'an integer')],
    [windowOf('60'), wrongType(window, 'a number')],
  ].map(([given, ...faults]) => ['callbackParams', { target, ...(given as Json) }, ...faults]),
] as Row[]

const notBefore = 'sendControl.notBefore'
const notADay = `InvalidFormat: ${notBefore} must be a day such as 2027-01-31`
const sendControlRows: Row[] = [
  ['sendControl', {}],
  ['sendControl', { notBefore: '2027-01-31', hold: true }],
  ['sendControl', { notBefore: '2028-02-29', hold: false }],
  ['sendControl', null],
  ['sendControl', { hold: null }],
  ['sendControl', { hold: 'yes' }, wrongType('sendControl.hold', 'a boolean')],
  ['sendControl', { notBefore: null }],
  ['sendControl', { notBefore: 1 }, wrongType(notBefore, 'a string')],
  ['sendControl', { notBefore: '' }, notADay],
  ['sendControl', { notBefore: '31/01/2027' }, notADay],
  ['sendControl', { notBefore: '2027-02-29' }, notADay],
  ['sendControl', { notBefore: '2027-01-31T00:00:00Z' }, notADay],
]

const rows = [
  ...requestRows,
  ...standardRows,
  ...addressRows,
  ...customParamRows,
  ...fileParamRows,
  ...callbackRows,
  ...sendControlRows,
].map(([path, value, ...faults]) => ({ path, value, faults }))

test.for(rows.map((row, index) => ({ ...row, name: `${index} ${describeRow(row)}` })))(
  '$name',
  ({ path, value, faults }) => {
    expect(faultsOf(aRequestWith(path, value))).toEqual(faults)
  },
)

test('reports every violation of a request, in the order of the specification', () => {
  const request = {
    id: 'a b',
    standardParams: {
      jobType: '',
      recipientName: null,
      address: { bfpoAddress: { bfpoNumber: 0 } },
    },
    customParams: [{ key: 'a' }],
    callbackParams: {},
  }

  expect(faultsOf(request)).toEqual([
    identifierPattern('id'),
    notEmpty(`${standard}.jobType`),
    notNull(`${standard}.templateReference`),
    notNull(`${standard}.recipientName`),
    notNull(`${bfpo}.line1`),
    `Min: ${bfpo}.bfpoNumber must be greater than or equal to 1`,
    notNull('customParams[0].value'),
    notNull('callbackParams.target'),
  ])
})

test.for([null, [], 'text', 5])('refuses %j as a body', (body) => {
  const told = body === null ? notNull('body') : wrongType('body', 'an object')

  expect(faultsOf(body)).toEqual([told])
})

/** Every member but the kinds of address. */
const whole = {
  id: 'job-1',
  standardParams: {
    jobType: 'NOTIFY',
    templateReference: 'NOTIFY',
    businessIdentifier: 'case-7',
    recipientName: 'A Person',
    handlingInstruction: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((at) => [`line${at}`, 'a'])),
    despatchMethod: 'FIRST',
  },
  customParams: params(['a', 'v']),
  fileParams: files(['f', upload1]),
  callbackParams: {
    target,
    authenticationHeader: 'Bearer a',
    retryParams: { enabled: true, maxRetryWindow: 60 },
  },
  sendControl: { notBefore: '2027-01-31', hold: true },
}
const lines = { line2: '2', line3: '3', line4: '4' }
const kindsOfAddress = {
  structuredAddress: Object.fromEntries(
    [...locatingFields, ...otherStructuredFields].map((field) => [field, 'a']),
  ),
  unstructuredAddress: { ...anUnstructuredAddress, ...lines, line5: '5', dps: '1A' },
  bfpoAddress: { ...aBfpoAddress, ...lines, postcode: 'BF1 1AA', language: 'en', country: 'GB' },
  internationalAddress: { ...anInternationalAddress, ...lines, line5: '5' },
}

test.for(Object.entries(kindsOfAddress))(
  'returns a request with every member and %s unchanged, without members that are not known',
  ([kind, members]) => {
    const of = (extra: object): Json => ({
      ...whole,
      standardParams: { ...whole.standardParams, address: { [kind]: { ...members, ...extra } } },
      callbackParams: { ...whole.callbackParams, ...extra },
      ...extra,
    })

    expect(printJobRequestSchema.parse(of({ extra: 1 }))).toEqual(of({}))
  },
)

test('ignores __proto__ members', () => {
  const request = JSON.parse(
    '{"__proto__":{"id":"x"},"standardParams":{"jobType":"a","templateReference":"b","recipientName":"c","address":{"internationalAddress":{"line1":"a","country":"b","__proto__":{"line2":"x"}}}}}',
  )

  const result = printJobRequestSchema.parse(request)

  expect(result.id).toBeUndefined()
  expect(result.standardParams.address).toEqual({
    internationalAddress: { line1: 'a', country: 'b' },
  })
})

function describeRow({ path, value, faults }: { path: string; value: unknown; faults: string[] }) {
  const shown = value === absent ? 'absent' : (JSON.stringify(value) ?? 'undefined').slice(0, 60)
  return `${path} = ${shown}: ${faults.length === 0 ? 'accepted' : faults.join('; ').slice(0, 120)}`
}
