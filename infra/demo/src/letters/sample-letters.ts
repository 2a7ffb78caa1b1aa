import { readFile } from 'node:fs/promises'
import type { DocumentOrder } from '@despatch/provider-simulator/decide-document'
import {
  makeCollectionLetter,
  makeMapPicture,
  makeScannedForm,
  makeSuppliedLetter,
} from './letter-files.ts'

export type SampleLetter = {
  number: number
  id: string
  recipientName: string
  addressKind: 'structured' | 'unstructured' | 'BFPO' | 'international'
  /** Its content in a few words. */
  content: string
  /** Name of the composed document in the output directory. */
  fileName: string
  contract: { jobType: string; templateReference: string; despatchMethod: string }
  address: object
  /** Sent in the print job. */
  inline?: { key: string; value: string }
  /** Uploaded first; the print job refers to it. */
  upload?: { fileId: string; bytes: Uint8Array; pages: number }
  /** What the print factory does with it. Default: it is printed once and posted. */
  onTheFloor?: DocumentOrder
  expected: ExpectedEnd
}

export type ExpectedEnd =
  | { status: 'DESPATCHED'; pages: number; attempt: number }
  | { status: 'REJECTED'; by: 'checks' | 'provider'; commentIncludes: string }

const printedByUs = { jobType: 'LETTER', templateReference: 'LETTER', despatchMethod: 'FIRST' }
const printedAsSupplied = { ...printedByUs, jobType: 'NOTIFY', templateReference: 'NOTIFY' }
const despatched = { status: 'DESPATCHED', pages: 2, attempt: 1 } as const
const unprintable = { reasonCode: 'UNPRINTABLE', reason: 'The document cannot be printed' }

/** The first address line repeats the name, as forces' addresses do. It is printed once. */
const corporal = '30112233 Cpl A. Whitlock'
const doctor = 'Dr Léonie Marchetti-Brandt'
const abroad = { line1: '12 rue des Tanneurs', line2: '99999 Valombre-sur-Lys', country: 'France' }
const atHome = { line1: '3 Tannery Row', line2: 'Northmere', postcode: 'NX2 7BL' }

const landscapeLetterFile = new URL(
  '../../../../docs/examples/letter-landscape.pdf',
  import.meta.url,
)

/**
 * Returns one letter for each kind of address, one whose second page is landscape and so cannot be printed, one that is
 * spoiled and reprinted, and one that the factory refuses.
 */
export async function makeSampleLetters(newId: () => string): Promise<SampleLetter[]> {
  const { line1, line2, country } = abroad
  const [collectionLetter, mapPicture, scannedForm, suppliedLetter, landscapeLetter] =
    await Promise.all([
      makeCollectionLetter(),
      makeMapPicture(),
      makeScannedForm(),
      makeSuppliedLetter([doctor, line1, line2, country.toUpperCase()]),
      readFile(landscapeLetterFile),
    ])
  const map = { contract: printedByUs, inline: inline('map', mapPicture) }
  const form = { contract: printedByUs, inline: inline('signed-form', scannedForm) }
  const letters: Omit<SampleLetter, 'number' | 'id'>[] = [
    {
      // Longer than the 45 characters of a printed line, so it takes two.
      recipientName: 'Professor Dame Wilhelmina Featherstonehaugh-Cholmondeley',
      addressKind: 'structured',
      content: 'PDF of 3 pages, uploaded',
      fileName: 'letter-1-structured.pdf',
      contract: printedByUs,
      address: {
        structuredAddress: {
          organisationName: 'Northmere Institute of Tidal Studies',
          buildingName: 'The Old Customs House',
          thoroughfareName: 'Harbour Parade',
          dependentLocality: 'Saltfleet',
          postTown: 'Northmere',
          postcode: 'NX1 4QT',
          dps: '1A',
        },
      },
      upload: { fileId: 'collection-days', bytes: collectionLetter, pages: 3 },
      expected: { ...despatched, pages: 4 },
    },
    {
      recipientName: 'Idris Pemberton',
      addressKind: 'unstructured',
      content: 'PNG, inline',
      fileName: 'letter-2-unstructured.pdf',
      ...map,
      address: {
        unstructuredAddress: {
          line1: 'Flat 2, Lantern House',
          line2: '17 Ropewalk',
          line3: 'Northmere',
          postcode: 'NX4 2QD',
        },
      },
      expected: despatched,
    },
    {
      recipientName: corporal,
      addressKind: 'BFPO',
      content: 'TIFF, inline',
      fileName: 'letter-3-bfpo.pdf',
      ...form,
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
      expected: despatched,
    },
    {
      recipientName: doctor,
      addressKind: 'international',
      content: 'PDF of 2 pages, as it is',
      fileName: 'letter-4-international.pdf',
      contract: { ...printedAsSupplied, despatchMethod: 'INTERNATIONAL_EU' },
      address: { internationalAddress: abroad },
      inline: inline('pdfContent', suppliedLetter),
      expected: despatched,
    },
    {
      recipientName: 'Josephine Okafor',
      addressKind: 'unstructured',
      content: 'PDF, page 2 landscape',
      fileName: 'letter-5-rejected.pdf',
      contract: printedAsSupplied,
      address: { unstructuredAddress: atHome },
      inline: inline('pdfContent', landscapeLetter),
      expected: { status: 'REJECTED', by: 'checks', commentIncludes: 'Page 2' },
    },
    {
      recipientName: 'Tobias Quillfeather',
      addressKind: 'unstructured',
      content: 'PNG, spoiled once',
      fileName: 'letter-6-printed-again.pdf',
      ...map,
      address: {
        unstructuredAddress: {
          line1: '8 Sailmakers Wynd',
          line2: 'Northmere',
          postcode: 'NX3 5LW',
        },
      },
      onTheFloor: { outcome: 'spoil', reasonCode: 'SMUDGED', reason: 'The toner is smudged' },
      expected: { ...despatched, attempt: 2 },
    },
    {
      recipientName: 'Mariam Castellane',
      addressKind: 'structured',
      content: 'TIFF, refused by factory',
      fileName: 'letter-7-refused.pdf',
      ...form,
      address: {
        structuredAddress: {
          buildingNumber: '31',
          thoroughfareName: 'Quay Street',
          postTown: 'Northmere',
          postcode: 'NX1 2AB',
        },
      },
      onTheFloor: { outcome: 'refuse', ...unprintable },
      expected: { status: 'REJECTED', by: 'provider', commentIncludes: unprintable.reason },
    },
  ]
  return letters.map((letter, index) => ({ number: index + 1, id: newId(), ...letter }))
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

function inline(key: string, bytes: Uint8Array) {
  return { key, value: Buffer.from(bytes).toString('base64') }
}
