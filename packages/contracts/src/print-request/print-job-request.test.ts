import fc from 'fast-check'
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
  const request: Json = {
    standardParams: {
      jobType: 'NOTIFY',
      templateReference: 'NOTIFY',
      recipientName: 'A Person',
      address: { unstructuredAddress: anUnstructuredAddress },
    },
  }
  const steps = path.split('.')
  const last = steps.pop() as string
  let place = structuredClone(request)
  const root = place
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

const requestRows: Row[] = [
  ['id', absent],
  ['id', 'Az09_:.-'],
  ['id', 'x'.repeat(255)],
  ['id', 'x'.repeat(256), size('id', 0, 255)],
  ['id', '', identifierPattern('id')],
  ['id', 'a b', identifierPattern('id')],
  ['id', 'a\n', identifierPattern('id')],
  ['id', '.', 'Pattern: id must not be . or .., alone or beside a slash'],
  ['id', '..', 'Pattern: id must not be . or .., alone or beside a slash'],
  ['id', 'é', identifierPattern('id')],
  ['id', null],
  ['id', 1, wrongType('id', 'a string')],
  [standard, absent, notNull(standard)],
  [standard, null, notNull(standard)],
  [standard, [], wrongType(standard, 'an object')],
  ['unknown', { any: 'thing' }],
  ['standardParams.unknown', null],
]

const standardRows: Row[] = [
  ...requiredText(`${standard}.jobType`, 255),
  ...requiredText(`${standard}.templateReference`, 255),
  ...requiredText(`${standard}.recipientName`, 255),
  ...nullableText(`${standard}.businessIdentifier`, 255).filter(
    ([, value]) => typeof value !== 'string' || !value.includes(emoji),
  ),
  [`${standard}.businessIdentifier`, 'x'.repeat(255)],
  [`${standard}.businessIdentifier`, 'A/1', identifierPattern(`${standard}.businessIdentifier`)],
  ...[
    'FIRST',
    'INTERNAL',
    'ECONOMY',
    'INTERNATIONAL_EU',
    'INTERNATIONAL_ROW',
    'SPECIAL',
    absent,
  ].map((method): Row => [`${standard}.despatchMethod`, method]),
  [`${standard}.despatchMethod`, null],
  [`${standard}.despatchMethod`, 1, wrongType(`${standard}.despatchMethod`, 'a string')],
  ...['SECOND', 'first', ''].map(
    (method): Row => [
      `${standard}.despatchMethod`,
      method,
      `InvalidFormat: ${standard}.despatchMethod must be one of FIRST, INTERNAL, ECONOMY, INTERNATIONAL_EU, INTERNATIONAL_ROW, SPECIAL`,
    ],
  ),
  [handling, null],
  [handling, { line1: 'Enclose', line7: 'the leaflet' }],
  [handling, { line2: 'a' }, notNull(`${handling}.line1`)],
  [handling, { line1: '' }, notEmpty(`${handling}.line1`)],
  [handling, { line1: 'x'.repeat(46) }, size(`${handling}.line1`, 1, 45)],
  ...['line2', 'line3', 'line4', 'line5', 'line6', 'line7'].flatMap((line): Row[] => [
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
  ...[...locatingFields, ...otherStructuredFields].flatMap((field): Row[] => [
    [address, { structuredAddress: { postTown: 'a', buildingName: 'b', [field]: null } }],
    [address, { structuredAddress: { postTown: 'a', buildingName: 'b', [field]: '' } }],
    [
      address,
      { structuredAddress: { postTown: 'a', buildingName: 'b', [field]: 1 } },
      wrongType(`${structured}.${field}`, 'a string'),
    ],
    [
      address,
      { structuredAddress: { postTown: 'a', buildingName: 'b', [field]: 'x\u0000' } },
      notStorable(`${structured}.${field}`),
    ],
  ]),
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
    ...optionalText(`${unstructured}.line2`, 45),
    ...optionalText(`${unstructured}.line3`, 45),
    ...optionalText(`${unstructured}.line4`, 45),
    ...optionalText(`${unstructured}.line5`, 45),
    ...requiredText(`${unstructured}.postcode`, 10),
    ...optionalText(`${unstructured}.dps`, 2),
  ]),

  ...within('bfpoAddress', aBfpoAddress, [
    ...requiredText(`${bfpo}.line1`, 45),
    ...nullableText(`${bfpo}.line2`, 45),
    ...nullableText(`${bfpo}.line3`, 45),
    ...nullableText(`${bfpo}.line4`, 45),
    [`${bfpo}.bfpoNumber`, absent, notNull(`${bfpo}.bfpoNumber`)],
    [`${bfpo}.bfpoNumber`, null, notNull(`${bfpo}.bfpoNumber`)],
    [`${bfpo}.bfpoNumber`, '801', wrongType(`${bfpo}.bfpoNumber`, 'a number')],
    [`${bfpo}.bfpoNumber`, 1.5, wrongType(`${bfpo}.bfpoNumber`, 'an integer')],
    [`${bfpo}.bfpoNumber`, 0, `Min: ${bfpo}.bfpoNumber must be greater than or equal to 1`],
    [`${bfpo}.bfpoNumber`, 1],
    [`${bfpo}.bfpoNumber`, 9999],
    [`${bfpo}.bfpoNumber`, 10_000, `Max: ${bfpo}.bfpoNumber must be less than or equal to 9999`],
    [`${bfpo}.bfpoNumber`, 1e20, `Max: ${bfpo}.bfpoNumber must be less than or equal to 9999`],
    [`${bfpo}.postcode`, absent],
    [`${bfpo}.postcode`, 'BF1 1AA'],
    [`${bfpo}.postcode`, null],
    [`${bfpo}.postcode`, '', notEmpty(`${bfpo}.postcode`)],
    [`${bfpo}.postcode`, 'x'.repeat(11), size(`${bfpo}.postcode`, 1, 10)],
    [`${bfpo}.postcode`, emoji.repeat(10)],
    ...['language', 'country'].flatMap((field): Row[] => [
      [`${bfpo}.${field}`, null],
      [`${bfpo}.${field}`, ''],
      [`${bfpo}.${field}`, 'x'.repeat(1_000)],
      [`${bfpo}.${field}`, 1, wrongType(`${bfpo}.${field}`, 'a string')],
    ]),
  ]),

  ...within('internationalAddress', anInternationalAddress, [
    ...requiredText(`${international}.line1`, 45),
    ...optionalText(`${international}.line2`, 45),
    ...optionalText(`${international}.line3`, 45),
    ...optionalText(`${international}.line4`, 45),
    ...optionalText(`${international}.line5`, 45),
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

const listRows: Row[] = [
  ['customParams', absent],
  ['customParams', null],
  ['customParams', {}, wrongType('customParams', 'an array of objects with key and value')],
  ['customParams', [], notEmpty('customParams')],
  ['customParams', someParams(customParamsMax)],
  ['customParams', someParams(customParamsMax + 1), size('customParams', 1, customParamsMax)],
  ['customParams', Array(1_000_000).fill({}), size('customParams', 1, customParamsMax)],
  ['customParams', [{ value: 'v' }], notNull('customParams[0].key')],
  ['customParams', [{ key: '', value: 'v' }], notEmpty('customParams[0].key')],
  ['customParams', [{ key: 'k' }], notNull('customParams[0].value')],
  ['customParams', [{ key: 'k', value: '' }], notEmpty('customParams[0].value')],
  ['customParams', [{ key: 'k', value: null }], notNull('customParams[0].value')],
  ['customParams', [{ key: 'k', value: 5 }], wrongType('customParams[0].value', 'a string')],
  ['customParams', [{ key: 'k', value: '\u0000' }], notStorable('customParams[0].value')],
  ['customParams', [{ key: '\ud800', value: 'v' }], notStorable('customParams[0].key')],
  ['customParams', [null], notNull('customParams[0]')],
  ['customParams', [{ key: 'k'.repeat(1_000), value: 'v'.repeat(3_000_000) }]],
  [
    'customParams',
    [
      { key: 'a', value: 'v' },
      { key: 'A', value: 'v' },
    ],
  ],
  [
    'customParams',
    [
      { key: 'a', value: '1' },
      { key: 'b', value: '2' },
      { key: 'a', value: '3' },
      { key: 'a', value: '' },
    ],
    notEmpty('customParams[3].value'),
    'Duplicate: customParams[2].key must be unique within the list',
    'Duplicate: customParams[3].key must be unique within the list',
  ],

  [
    'customParams',
    [{ key: 'a', value: 'v' }, { key: 'a' }],
    notNull('customParams[1].value'),
    'Duplicate: customParams[1].key must be unique within the list',
  ],

  ['fileParams', absent],
  ['fileParams', null],
  ['fileParams', [], notEmpty('fileParams')],
  ['fileParams', someFiles(100)],
  ['fileParams', someFiles(101), size('fileParams', 1, 100)],
  ['fileParams', [{ fileId: 'f', uploadId: upload1 }]],
  ['fileParams', [{ uploadId: upload1 }], notNull('fileParams[0].fileId')],
  ['fileParams', [{ fileId: '', uploadId: upload1 }], notEmpty('fileParams[0].fileId')],
  [
    'fileParams',
    [{ fileId: 'x'.repeat(256), uploadId: upload1 }],
    size('fileParams[0].fileId', 1, 255),
  ],
  ['fileParams', [{ fileId: emoji.repeat(255), uploadId: upload1 }]],
  ['fileParams', [{ fileId: 'f' }], notNull('fileParams[0].uploadId')],
  [
    'fileParams',
    [{ fileId: 'f', uploadId: upload1.slice(1) }],
    'Size: fileParams[0].uploadId size must be 36',
  ],
  [
    'fileParams',
    [{ fileId: 'f', uploadId: `${upload1}0` }],
    'Size: fileParams[0].uploadId size must be 36',
  ],
  [
    'fileParams',
    [
      { fileId: 'f', uploadId: upload1 },
      { fileId: 'f', uploadId: upload2 },
    ],
    'Duplicate: fileParams[1].fileId must be unique within the list',
  ],
  [
    'fileParams',
    [
      { fileId: 'f', uploadId: upload1 },
      { fileId: 'g', uploadId: upload1 },
    ],
    'Duplicate: fileParams[1].uploadId must be unique within the list',
  ],
]

const target = 'https://example.com/'
const notAnAddress = 'InvalidFormat: callbackParams.target must be an http or https address'
const retry = 'callbackParams.retryParams'
const header = 'callbackParams.authenticationHeader'
const headerPattern = `Pattern: ${header} must match "^[\\t\\x20-\\x7e\\x80-\\xff]*$"`

const callbackRows: Row[] = [
  ['callbackParams', absent],
  ['callbackParams', null],
  ['callbackParams', {}, notNull('callbackParams.target')],
  ['callbackParams', { target: null }, notNull('callbackParams.target')],
  ['callbackParams', { target: '' }, 'Size: callbackParams.target size must be at least 11'],
  [
    'callbackParams',
    { target: 'http://a.b' },
    'Size: callbackParams.target size must be at least 11',
  ],
  ['callbackParams', { target: 'http://a.bc' }],
  ['callbackParams', { target: 'https://example.com:8443/a?token=b' }],
  ['callbackParams', { target: 'HTTPS://EXAMPLE.COM' }],
  ['callbackParams', { target: 'ftp://example.com' }, notAnAddress],
  ['callbackParams', { target: 'javascript:alert(1)' }, notAnAddress],
  ['callbackParams', { target: 'example.com/callbacks' }, notAnAddress],
  ['callbackParams', { target: 'https://     ' }, notAnAddress],
  ['callbackParams', { target, authenticationHeader: null }],
  ['callbackParams', { target, authenticationHeader: 'x' }],
  ['callbackParams', { target, authenticationHeader: `Bearer ${'~'.repeat(5_000)}` }],
  ['callbackParams', { target, authenticationHeader: '' }, notEmpty(header)],
  ['callbackParams', { target, authenticationHeader: 1 }, wrongType(header, 'a string')],
  ['callbackParams', { target, authenticationHeader: 'a\r\nb: c' }, headerPattern],
  ['callbackParams', { target, authenticationHeader: emoji }, headerPattern],
  ['callbackParams', { target, retryParams: {} }],
  ['callbackParams', { target, retryParams: null }],
  ...[true, false, null].map(
    (enabled): Row => ['callbackParams', { target, retryParams: { enabled } }],
  ),
  [
    'callbackParams',
    { target, retryParams: { enabled: 'true' } },
    wrongType(`${retry}.enabled`, 'a boolean'),
  ],
  ...[30, 86_400, null].map(
    (maxRetryWindow): Row => ['callbackParams', { target, retryParams: { maxRetryWindow } }],
  ),
  [
    'callbackParams',
    { target, retryParams: { maxRetryWindow: 29 } },
    `Min: ${retry}.maxRetryWindow must be greater than or equal to 30`,
  ],
  [
    'callbackParams',
    { target, retryParams: { maxRetryWindow: 86_401 } },
    `Max: ${retry}.maxRetryWindow must be less than or equal to 86400`,
  ],
  [
    'callbackParams',
    { target, retryParams: { maxRetryWindow: 30.5 } },
    wrongType(`${retry}.maxRetryWindow`, 'an integer'),
  ],
  [
    'callbackParams',
    { target, retryParams: { maxRetryWindow: '60' } },
    wrongType(`${retry}.maxRetryWindow`, 'a number'),
  ],
]

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
  ...listRows,
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

test('removes members that the specification does not name', () => {
  const result = printJobRequestSchema.parse({
    ...aRequestWith('standardParams.businessIdentifier', 'case-7'),
    extra: 1,
    callbackParams: { target, extra: 1 },
  })

  expect(result).toEqual({
    standardParams: {
      jobType: 'NOTIFY',
      templateReference: 'NOTIFY',
      businessIdentifier: 'case-7',
      recipientName: 'A Person',
      address: { unstructuredAddress: anUnstructuredAddress },
    },
    callbackParams: { target },
  })
})

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

// Each arbitrary is built from the wording of the specification, not from the schema.
const points = (min: number, max: number) =>
  fc
    .array(fc.constantFrom('a', 'Z', '0', ' ', '-', 'é', '\u4e2d', '😀', '\u0301'), {
      minLength: min,
      maxLength: max,
    })
    .map((characters) => characters.join(''))
const identifier = (max: number) => fc.stringMatching(new RegExp(`^[A-Za-z0-9_:.-]{1,${max}}$`))
const nullOr = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const line = points(1, 45)
const optionalLine = points(0, 45)
const record = fc.record
const optional = { requiredKeys: [] as never[] }

const anyAddress = fc.oneof(
  record({
    structuredAddress: fc
      .tuple(
        fc.dictionary(
          fc.constantFrom(...locatingFields, ...otherStructuredFields),
          nullOr(points(0, 60)),
        ),
        fc.constantFrom(...locatingFields),
      )
      .map(([fields, one]) => ({ ...fields, [one]: 'given' })),
  }),
  record({
    unstructuredAddress: record(
      {
        line1: line,
        line2: optionalLine,
        line3: optionalLine,
        line4: optionalLine,
        line5: optionalLine,
        postcode: points(1, 10),
        dps: points(0, 2),
      },
      { requiredKeys: ['line1', 'postcode'] },
    ),
  }),
  record({
    bfpoAddress: record(
      {
        line1: line,
        line2: nullOr(line),
        line3: nullOr(line),
        line4: nullOr(line),
        bfpoNumber: fc.integer({ min: 1, max: 9999 }),
        postcode: points(1, 10),
        language: nullOr(points(0, 20)),
        country: nullOr(points(0, 20)),
      },
      { requiredKeys: ['line1', 'bfpoNumber'] },
    ),
  }),
  record({
    internationalAddress: record(
      { line1: line, line2: optionalLine, line5: optionalLine, country: points(1, 256) },
      { requiredKeys: ['line1', 'country'] },
    ),
  }),
)

/** Ours refuses the two that paths cannot contain. */
const jobId = identifier(255).filter((id) => id !== '.' && id !== '..')
const anyRequest = record(
  {
    id: jobId,
    standardParams: record(
      {
        jobType: points(1, 255),
        templateReference: points(1, 255),
        businessIdentifier: nullOr(identifier(255)),
        recipientName: points(1, 255),
        address: anyAddress,
        handlingInstruction: record(
          { line1: line, line2: optionalLine, line7: optionalLine },
          { requiredKeys: ['line1'] },
        ),
        despatchMethod: fc.constantFrom('FIRST', 'INTERNAL', 'ECONOMY', 'SPECIAL'),
      },
      { requiredKeys: ['jobType', 'templateReference', 'recipientName', 'address'] },
    ),
    customParams: fc.uniqueArray(record({ key: points(1, 20), value: points(1, 50) }), {
      minLength: 1,
      maxLength: 20,
      selector: ({ key }) => key,
    }),
    fileParams: fc.uniqueArray(record({ fileId: points(1, 255), uploadId: fc.uuid() }), {
      minLength: 1,
      maxLength: 100,
      selector: ({ fileId }) => fileId,
    }),
    callbackParams: record(
      {
        target: fc.webUrl({ validSchemes: ['http', 'https'] }).filter(({ length }) => length >= 11),
        authenticationHeader: nullOr(fc.stringMatching(/^[ -~]{1,60}$/)),
        retryParams: record(
          {
            enabled: nullOr(fc.boolean()),
            maxRetryWindow: nullOr(fc.integer({ min: 30, max: 86_400 })),
          },
          optional,
        ),
      },
      { requiredKeys: ['target'] },
    ),
    sendControl: record(
      { notBefore: fc.constantFrom('2027-01-31', '2028-02-29'), hold: fc.boolean() },
      optional,
    ),
  },
  { requiredKeys: ['standardParams'] },
)

test('accepts every request that the specification allows, and returns it unchanged', () => {
  fc.assert(
    fc.property(anyRequest, (request) => {
      const wire = JSON.parse(JSON.stringify(request))
      expect(faultsOf(wire)).toEqual([])
      expect(printJobRequestSchema.parse(wire)).toEqual(wire)
    }),
    { numRuns: 300 },
  )
})

test.for([
  ['Az09_:.-', true],
  ['x'.repeat(255), true],
  ['x'.repeat(256), false],
  ['', false],
  ['a/b', false],
  ['a\u0000', false],
  ['.', false],
  ['..', false],
  ['...', true],
] as const)('%j is a valid print job id in a path: %s', ([id, expected]) => {
  expect(isPrintJobId(id)).toBe(expected)
})

function describeRow({ path, value, faults }: { path: string; value: unknown; faults: string[] }) {
  const shown = value === absent ? 'absent' : (JSON.stringify(value) ?? 'undefined').slice(0, 60)
  return `${path} = ${shown}: ${faults.length === 0 ? 'accepted' : faults.join('; ').slice(0, 120)}`
}
