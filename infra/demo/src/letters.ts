import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Address, Finding, PrintJob, UnstructuredAddress } from '@despatch/client/print-job'
import type { CallbackMessage } from '@despatch/client/verify-callback'

/** A letter with what the consumer has read and received about it so far. */
export type Letter = Sample & {
  number: number
  id: string
  bytes: Uint8Array
  events: PrintJobEvent[]
  callbacks: CallbackMessage[]
  /** Read once the status is final. */
  ended?: PrintJob
}

export type PrintJobEvent = { transition: string; status: string; findings?: Finding[] }

type Sample = {
  recipientName: string
  address: Address
  file: string
  /** Default: the file is in the request. */
  isUploaded?: boolean
  end: keyof typeof timelines
  /** How often the factory prints it. */
  prints: number
}

/** The statuses of a letter that is posted, that the checks reject, and that the factory refuses. */
export const timelines = {
  posted: 'QUARANTINE → VALIDATING → PENDING → PRODUCTION → DESPATCHED',
  rejected: 'QUARANTINE → VALIDATING → REJECTED',
  refused: 'QUARANTINE → VALIDATING → PENDING → PRODUCTION → REJECTED',
} as const

const docs = new URL('../../../docs/', import.meta.url)
const file = 'examples/letter.pdf'
/** The first address line repeats the name, as forces' addresses do. It is printed once. */
const corporal = '30112233 Cpl A. Whitlock'
const plain = (unstructuredAddress: UnstructuredAddress) => ({ unstructuredAddress })

const posted = { end: 'posted', prints: 1 } as const

/**
 * One letter for each kind of address, one whose second page is landscape and so cannot be printed, and two to
 * recipients for whom a test environment has the factory spoil or refuse a letter.
 */
const samples: readonly Sample[] = [
  {
    // Longer than the 45 characters of a printed line, so it takes two.
    recipientName: 'Professor Dame Wilhelmina Featherstonehaugh-Cholmondeley',
    address: {
      structuredAddress: {
        organisationName: 'Northmere Institute of Tidal Studies',
        buildingName: 'The Old Customs House',
        thoroughfareName: 'Harbour Parade',
        postTown: 'Northmere',
        postcode: 'AB1 4QT',
        dps: '1A',
      },
    },
    file,
    isUploaded: true,
    ...posted,
  },
  {
    recipientName: 'Idris Pemberton',
    address: plain({ line1: '17 Ropewalk', line2: 'Northmere', postcode: 'AB1 2QD' }),
    file: 'letter.png',
    ...posted,
  },
  {
    recipientName: corporal,
    address: {
      bfpoAddress: {
        line1: corporal,
        line2: '4 Signal Troop',
        bfpoNumber: 4711,
        postcode: 'BF1 9ZZ',
      },
    },
    file,
    ...posted,
  },
  {
    recipientName: 'Dr Léonie Marchetti-Brandt',
    address: {
      internationalAddress: {
        line1: '12 rue des Tanneurs',
        line2: '99999 Valombre',
        country: 'France',
      },
    },
    file,
    ...posted,
  },
  {
    recipientName: 'Josephine Okafor',
    address: plain({ line1: '3 Tannery Row', line2: 'Northmere', postcode: 'AB1 7BL' }),
    file: 'examples/letter-landscape.pdf',
    end: 'rejected',
    prints: 0,
  },
  {
    recipientName: 'UAT SPOIL',
    address: plain({ line1: '8 Sailmakers Wynd', line2: 'Northmere', postcode: 'AB1 5LW' }),
    file,
    end: 'posted',
    prints: 2,
  },
  {
    recipientName: 'UAT REFUSE UNPRINTABLE',
    address: plain({ line1: '31 Quay Street', line2: 'Northmere', postcode: 'AB1 2AB' }),
    file,
    end: 'refused',
    prints: 0,
  },
]

export function makeLetters(): Promise<Letter[]> {
  const rest = { events: [], callbacks: [] }
  return Promise.all(
    samples.map(async (sample, index) => {
      const bytes = await readFile(new URL(sample.file, docs))
      return { ...structuredClone(rest), ...sample, bytes, number: index + 1, id: randomUUID() }
    }),
  )
}

/** Returns the statuses that a letter has had, in order. */
export function statusesOf({ events }: Letter): string[] {
  return events
    .map(({ status }) => status)
    .filter((status, index, statuses) => status !== statuses[index - 1])
}
