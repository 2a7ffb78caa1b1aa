import type { DocumentOrder } from '@despatch/provider-simulator/decide-document'
import { makeCollectionLetter } from './collection-letter.ts'
import { makeMapPicture } from './map-picture.ts'
import { makeScannedForm } from './scanned-form.ts'
import { makeSuppliedLetter } from './supplied-letter.ts'

export type SampleLetter = {
  number: number
  id: string
  recipientName: string
  addressKind: 'structured' | 'unstructured' | 'BFPO' | 'international'
  /** Its content in a few words. */
  content: string
  /** Name of the composed document in the output directory. */
  fileName: string
  standardParams: object
  customParams?: readonly { key: string; value: string }[]
  /** Uploaded first; the print job refers to it. */
  upload?: { fileId: string; bytes: Uint8Array; pages: number }
  /** What the print factory does with it. Default: it is printed once and posted. */
  onTheFloor?: DocumentOrder
  expected: ExpectedEnd
}

export type ExpectedEnd =
  | { status: 'DESPATCHED'; pages: number; attempt: number }
  | { status: 'REJECTED'; by: 'checks' | 'provider'; commentIncludes: string }

/**
 * Returns one letter for each kind of address, one whose second page is landscape and so cannot be printed, one that is
 * spoiled and reprinted, and one that the factory refuses.
 */
export async function makeSampleLetters(newId: () => string): Promise<SampleLetter[]> {
  const { line1, line2, country } = abroad.address
  const [collectionLetter, mapPicture, scannedForm, suppliedLetter, landscapeLetter] =
    await Promise.all([
      makeCollectionLetter(),
      makeMapPicture(),
      makeScannedForm(),
      makeSuppliedLetter([abroad.recipientName, line1, line2, country.toUpperCase()]),
      makeSuppliedLetter([atHome.recipientName, ...Object.values(atHome.address)], {
        secondPage: 'landscape',
      }),
    ])
  return [
    {
      number: 1,
      id: newId(),
      recipientName: professor.recipientName,
      addressKind: 'structured',
      content: 'PDF of 3 pages, uploaded',
      fileName: 'letter-1-structured.pdf',
      standardParams: {
        ...printedByUs,
        recipientName: professor.recipientName,
        address: { structuredAddress: professor.address },
      },
      upload: { fileId: 'collection-days', bytes: collectionLetter, pages: 3 },
      expected: { status: 'DESPATCHED', pages: 4, attempt: 1 },
    },
    {
      number: 2,
      id: newId(),
      recipientName: 'Idris Pemberton',
      addressKind: 'unstructured',
      content: 'PNG, inline',
      fileName: 'letter-2-unstructured.pdf',
      standardParams: {
        ...printedByUs,
        recipientName: 'Idris Pemberton',
        address: {
          unstructuredAddress: {
            line1: 'Flat 2, Lantern House',
            line2: '17 Ropewalk',
            line3: 'Northmere',
            postcode: 'NX4 2QD',
          },
        },
      },
      customParams: [inline('map', mapPicture)],
      expected: { status: 'DESPATCHED', pages: 2, attempt: 1 },
    },
    {
      number: 3,
      id: newId(),
      recipientName: corporal,
      addressKind: 'BFPO',
      content: 'TIFF, inline',
      fileName: 'letter-3-bfpo.pdf',
      standardParams: {
        ...printedByUs,
        recipientName: corporal,
        address: {
          bfpoAddress: {
            line1: corporal,
            line2: '4 Signal Troop',
            line3: 'Op Lantern',
            line4: 'Camp Meridian',
            bfpoNumber: 4711,
            postcode: 'BF1 9ZZ',
          },
        },
      },
      customParams: [inline('signed-form', scannedForm)],
      expected: { status: 'DESPATCHED', pages: 2, attempt: 1 },
    },
    {
      number: 4,
      id: newId(),
      recipientName: abroad.recipientName,
      addressKind: 'international',
      content: 'PDF of 2 pages, as it is',
      fileName: 'letter-4-international.pdf',
      standardParams: {
        ...printedAsSupplied,
        recipientName: abroad.recipientName,
        address: { internationalAddress: abroad.address },
        despatchMethod: 'INTERNATIONAL_EU',
      },
      customParams: [inline('pdfContent', suppliedLetter)],
      expected: { status: 'DESPATCHED', pages: 2, attempt: 1 },
    },
    {
      number: 5,
      id: newId(),
      recipientName: atHome.recipientName,
      addressKind: 'unstructured',
      content: 'PDF, page 2 landscape',
      fileName: 'letter-5-rejected.pdf',
      standardParams: {
        ...printedAsSupplied,
        recipientName: atHome.recipientName,
        address: { unstructuredAddress: atHome.address },
        despatchMethod: 'FIRST',
      },
      customParams: [inline('pdfContent', landscapeLetter)],
      expected: { status: 'REJECTED', by: 'checks', commentIncludes: 'Page 2' },
    },
    {
      number: 6,
      id: newId(),
      recipientName: 'Tobias Quillfeather',
      addressKind: 'unstructured',
      content: 'PNG, spoiled once',
      fileName: 'letter-6-printed-again.pdf',
      standardParams: {
        ...printedByUs,
        recipientName: 'Tobias Quillfeather',
        address: {
          unstructuredAddress: {
            line1: '8 Sailmakers Wynd',
            line2: 'Northmere',
            postcode: 'NX3 5LW',
          },
        },
      },
      customParams: [inline('map', mapPicture)],
      onTheFloor: { outcome: 'spoil', ...smudge },
      expected: { status: 'DESPATCHED', pages: 2, attempt: 2 },
    },
    {
      number: 7,
      id: newId(),
      recipientName: 'Mariam Castellane',
      addressKind: 'structured',
      content: 'TIFF, refused by factory',
      fileName: 'letter-7-refused.pdf',
      standardParams: {
        ...printedByUs,
        recipientName: 'Mariam Castellane',
        address: { structuredAddress: quayside },
      },
      customParams: [inline('signed-form', scannedForm)],
      onTheFloor: { outcome: 'refuse', ...unprintable },
      expected: { status: 'REJECTED', by: 'provider', commentIncludes: unprintable.reason },
    },
  ]
}

/** Returns whether the checks reject it, so that it never reaches a print run. */
export function isRejectedByChecks({ expected }: SampleLetter): boolean {
  return expected.status === 'REJECTED' && expected.by === 'checks'
}

/** Invalid in five places, to show that a refusal names them all. */
export function makeFaultyJob(): object {
  return {
    standardParams: {
      ...printedByUs,
      recipientName: '',
      address: { bfpoAddress: { line1: 'Lt R. Amory', bfpoNumber: 12_345 } },
    },
    customParams: [
      { key: 'note', value: 'first' },
      { key: 'note', value: 'second' },
    ],
    callbackParams: { target: 'mailto:nobody', retryParams: { enabled: true, maxRetryWindow: 5 } },
  }
}

const printedByUs = { jobType: 'LETTER', templateReference: 'LETTER', despatchMethod: 'FIRST' }
const printedAsSupplied = { jobType: 'NOTIFY', templateReference: 'NOTIFY' }

/** Longer than the 45 characters of a printed line, so it takes two. */
const professor = {
  recipientName: 'Professor Dame Wilhelmina Featherstonehaugh-Cholmondeley',
  address: {
    organisationName: 'Northmere Institute of Tidal Studies',
    buildingName: 'The Old Customs House',
    thoroughfareName: 'Harbour Parade',
    dependentLocality: 'Saltfleet',
    postTown: 'Northmere',
    postcode: 'NX1 4QT',
    dps: '1A',
  },
}

/** The first address line repeats the name, as forces' addresses do. It is printed once. */
const corporal = '30112233 Cpl A. Whitlock'

const abroad = {
  recipientName: 'Dr Léonie Marchetti-Brandt',
  address: { line1: '12 rue des Tanneurs', line2: '99999 Valombre-sur-Lys', country: 'France' },
}

const atHome = {
  recipientName: 'Josephine Okafor',
  address: { line1: '3 Tannery Row', line2: 'Northmere', postcode: 'NX2 7BL' },
}

const quayside = {
  buildingNumber: '31',
  thoroughfareName: 'Quay Street',
  postTown: 'Northmere',
  postcode: 'NX1 2AB',
}

const smudge = { reasonCode: 'SMUDGED', reason: 'The toner is smudged' }
const unprintable = { reasonCode: 'UNPRINTABLE', reason: 'The document cannot be printed' }

function inline(key: string, bytes: Uint8Array) {
  return { key, value: Buffer.from(bytes).toString('base64') }
}
