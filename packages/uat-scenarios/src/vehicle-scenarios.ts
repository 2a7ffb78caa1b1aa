import type { RequestProblemKind } from '@despatch/domain/problem'
import {
  type MotStatus,
  motStatuses,
  type TaxStatus,
  taxStatuses,
  type VehicleRecord,
} from '@despatch/domain/vehicle/vehicle-record'
import { asOf, day } from './day.ts'

/** The response of the test environment for one registration number. */
export type VehicleScenario = {
  registrationNumber: string
  title: string
  status: number
  outcome: VehicleOutcome
}

type VehicleProblemKind = RequestProblemKind | 'vehicle-not-found'

export type VehicleOutcome =
  | { kind: 'record'; record: (now: Date) => VehicleRecord }
  | { kind: 'problem'; problem: VehicleProblemKind; detail: string }
  | { kind: 'fault' }

/** The record of a vehicle without its number. A member that is undefined is absent. */
type Details = {
  [Member in keyof Omit<VehicleRecord, 'registrationNumber'>]?: VehicleRecord[Member] | undefined
}

/** Taxed for another year, with a valid MOT for another half year. */
const onTheRoad: Details = {
  taxStatus: 'Taxed',
  taxDueDate: day({ years: 1 }),
  motStatus: 'Valid',
  motExpiryDate: day({ months: 6 }),
}

/** Most vehicles of the scenarios are this one, except for what they demonstrate. */
const car: Details = {
  ...onTheRoad,
  make: 'FORD',
  monthOfFirstServiceRegistration: '2019-03',
  monthOfFirstRegistration: '2019-03',
  yearOfManufacture: 2019,
  engineCapacity: 1499,
  co2Emissions: 119,
  fuelType: 'PETROL',
  markedForExport: false,
  colour: 'BLUE',
  typeApproval: 'M1',
  wheelplan: '2 AXLE RIGID BODY',
  revenueWeight: 1640,
  euroStatus: 'EURO 6',
  realDrivingEmissions: '1',
  dateOfLastV5CIssued: '2019-05-20',
}
const noMot: Details = { motStatus: 'No details held by Service', motExpiryDate: undefined }

const taxDueDates: Record<TaxStatus, string | undefined> = {
  'Not Taxed for on Road Use': undefined,
  SORN: undefined,
  Taxed: day({ months: 6 }),
  Untaxed: day({ days: -1 }),
}
const motExpiryDates: Record<MotStatus, string | undefined> = {
  'No details held by Service': undefined,
  'No results returned': undefined,
  'Not valid': day({ days: -1 }),
  Valid: day({ days: 1 }),
}

const refusals = {
  400: ['invalid-field', 'Bad request', 'Invalid format for field - vehicle registration number'],
  403: ['not-permitted', 'Forbidden', 'Forbidden'],
  404: ['vehicle-not-found', 'Vehicle not found', 'Record for vehicle not found'],
  429: ['too-many-requests', 'Throttled', 'Too Many Requests'],
  503: [
    'unavailable',
    'Service unavailable',
    'The service is currently down for maintenance, please contact support for more information',
  ],
} as const satisfies Record<number, [VehicleProblemKind, title: string, detail: string]>

/** Every predefined registration number, each once: the agency's public test numbers and our own. */
export const vehicleScenarios: readonly VehicleScenario[] = [
  vehicle('AA19AAA', 'Every member of an ordinary car', {
    ...noMot,
    artEndDate: '2025-03-30',
    engineCapacity: 2000,
    co2Emissions: 300,
    colour: 'RED',
    revenueWeight: 0,
    euroStatus: 'EURO1',
  }),
  vehicle('AA19EEE', 'An ordinary car', {}),
  vehicle('AA19PPP', 'An ordinary petrol car', { make: 'VAUXHALL', colour: 'SILVER' }),
  vehicle('AA19SRN', 'Declared off the road (SORN), no tax due date', {
    taxStatus: 'SORN',
    taxDueDate: undefined,
  }),
  vehicle('AA19MOT', 'MOT valid for another year', {
    make: 'AUDI',
    motExpiryDate: day({ years: 1 }),
  }),
  vehicle('L2WPS', 'Untaxed, tax due in the past; a plate of another shape', {
    taxStatus: 'Untaxed',
    taxDueDate: day({ months: -3 }),
  }),
  vehicle('AA19DSL', 'A diesel car', {
    make: 'VOLKSWAGEN',
    engineCapacity: 1968,
    fuelType: 'DIESEL',
    colour: 'GREY',
  }),
  vehicle('AA19AMP', 'An electric car: no engine capacity, no Euro status', {
    make: 'TESLA',
    fuelType: 'ELECTRICITY',
    engineCapacity: undefined,
    co2Emissions: 0,
    euroStatus: undefined,
    realDrivingEmissions: undefined,
    colour: 'WHITE',
  }),
  refusal('ER19BAD', 400),
  refusal('ER19NFD', 404),
  refusal('ER19THR', 429),
  fault('ER19ERR'),
  refusal('ER19MNT', 503),

  // UAT1nn: the nth tax status. UAT2nn: the nth MOT status.
  ...taxStatuses.map((taxStatus, index) => {
    const details = { taxStatus, taxDueDate: taxDueDates[taxStatus] }
    return vehicle(`UAT${101 + index}`, `taxStatus ${taxStatus}`, details)
  }),
  ...motStatuses.map((motStatus, index) => {
    const details = { motStatus, motExpiryDate: motExpiryDates[motStatus] }
    return vehicle(`UAT${201 + index}`, `motStatus ${motStatus}`, details)
  }),

  // UAT3nn: data about the vehicle.
  vehicle('UAT301', 'Every member the interface has', {
    artEndDate: day({ years: 4 }),
    automatedVehicle: false,
  }),
  vehicle('UAT302', 'Nothing but the registration number', {}, {}),
  vehicle('UAT303', 'An automated vehicle', { automatedVehicle: true }),
  vehicle('UAT304', 'Marked for export', { markedForExport: true }),
  vehicle('UAT305', 'Additional rate of tax still runs', {
    ...noMot,
    artEndDate: day({ years: 2 }),
  }),
  vehicle('UAT306', 'Additional rate of tax has ended', { artEndDate: day({ years: -1 }) }),
  vehicle(
    'UAT307',
    'A goods vehicle with a revenue weight',
    {
      make: 'SCANIA',
      monthOfFirstServiceRegistration: '2016-09',
      monthOfFirstRegistration: '2016-09',
      yearOfManufacture: 2016,
      engineCapacity: 12742,
      fuelType: 'HEAVY OIL',
      markedForExport: false,
      colour: 'MULTI-COLOUR',
      typeApproval: 'N3',
      wheelplan: '3 AXLE RIGID BODY',
      revenueWeight: 26000,
      euroStatus: 'EURO 6',
    },
    onTheRoad,
  ),
  vehicle(
    'UAT308',
    'A motorcycle',
    {
      make: 'TRIUMPH',
      monthOfFirstServiceRegistration: '2018-06',
      monthOfFirstRegistration: '2018-06',
      yearOfManufacture: 2018,
      engineCapacity: 765,
      co2Emissions: 112,
      fuelType: 'PETROL',
      markedForExport: false,
      colour: 'BLACK',
      typeApproval: 'L3',
      wheelplan: '2-WHEEL',
    },
    onTheRoad,
  ),
  vehicle('UAT309', 'Imported: first registered abroad, later with the agency', {
    make: 'TOYOTA',
    yearOfManufacture: 2012,
    monthOfFirstRegistration: '2012-11',
    monthOfFirstServiceRegistration: '2019-03',
  }),
  vehicle(
    'UAT310',
    'Built before type approval; MOT not needed',
    {
      taxStatus: 'Not Taxed for on Road Use',
      motStatus: 'No details held by Service',
      make: 'MORRIS',
      monthOfFirstRegistration: '1934-05',
      yearOfManufacture: 1934,
      engineCapacity: 847,
      fuelType: 'PETROL',
      markedForExport: false,
      colour: 'GREEN',
      wheelplan: '2 AXLE RIGID BODY',
    },
    {},
  ),

  // UAT4nn and UAT5nn: the number contains the status.
  refusal('UAT400', 400),
  refusal('UAT403', 403),
  refusal('UAT404', 404),
  refusal('UAT429', 429),
  fault('UAT500'),
  refusal('UAT503', 503),
]

/** Returns the scenario of a registration number in stored form: upper case. */
export function vehicleScenario(registrationNumber: string): VehicleScenario | undefined {
  return byNumber.get(registrationNumber)
}

const byNumber = new Map(vehicleScenarios.map((each) => [each.registrationNumber, each]))

/** Returns the scenario of a vehicle that differs from `base`. */
function vehicle(
  registrationNumber: string,
  title: string,
  details: Details,
  base = car,
): VehicleScenario {
  const row = { registrationNumber, ...base, ...details } as VehicleRecord
  const record = (now: Date) => asOf(now, row)
  return { registrationNumber, title, status: 200, outcome: { kind: 'record', record } }
}

function refusal(registrationNumber: string, status: keyof typeof refusals): VehicleScenario {
  const [problem, title, detail] = refusals[status]
  return { registrationNumber, title, status, outcome: { kind: 'problem', problem, detail } }
}

function fault(registrationNumber: string): VehicleScenario {
  return { registrationNumber, title: 'Internal error', status: 500, outcome: { kind: 'fault' } }
}
