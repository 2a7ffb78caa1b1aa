import {
  motStatuses,
  taxStatuses,
  type VehicleRecord,
} from '@despatch/domain/vehicle/vehicle-record'

const fuelTypes = new Set(
  'PETROL,DIESEL,ELECTRICITY,HYBRID ELECTRIC,HEAVY OIL,GAS BI-FUEL,GAS,GAS DIESEL,STEAM,FUEL CELLS,OTHER'.split(
    ',',
  ),
)
const colours = new Set(
  'BEIGE,BLACK,BLUE,BRONZE,BROWN,BUFF,CREAM,GOLD,GREEN,GREY,MAROON,MULTI-COLOUR,NOT STATED,ORANGE,PINK,PURPLE,RED,SILVER,TURQUOISE,WHITE,YELLOW'.split(
    ',',
  ),
)
const wheelplans = new Set(
  '2 AXLE RIGID BODY,3 AXLE RIGID BODY,2-WHEEL,3 WHEEL,MULTI-AXLE RIGID,2-AXLE & ARTIC'.split(','),
)
const withoutCombustion = new Set(['ELECTRICITY', 'FUEL CELLS', 'STEAM'])

/** Returns what contradicts itself or the value sets in a generated vehicle as of `today`. Empty if nothing does. */
export function faultsOf(vehicle: VehicleRecord, today: string): string[] {
  const faults = [...valueFaults(vehicle), ...dateFaults(vehicle, today), ...engineFaults(vehicle)]
  return faults.map((fault) => `${vehicle.registrationNumber}: ${fault}`)
}

function valueFaults(vehicle: VehicleRecord): string[] {
  const { taxStatus, motStatus, make = '', revenueWeight = 1 } = vehicle
  return named({
    'registration number': !/^[A-Z0-9]{2,7}$/.test(vehicle.registrationNumber),
    'tax status': !taxStatuses.some((status) => status === taxStatus),
    'test status': !motStatuses.some((status) => status === motStatus),
    fuel: !fuelTypes.has(vehicle.fuelType ?? ''),
    colour: !colours.has(vehicle.colour ?? ''),
    wheelplan: !wheelplans.has(vehicle.wheelplan ?? ''),
    make: !/^[A-Z][A-Z -]+$/.test(make),
    'type approval': !/^([MN][1-3]|L[1-7]|T1)$/.test(vehicle.typeApproval ?? 'M1'),
    'euro status': !/^EURO([1-6]| 6 AD)$/.test(vehicle.euroStatus ?? 'EURO1'),
    'emissions in driving': !/^[12]$/.test(vehicle.realDrivingEmissions ?? '1'),
    weight: !Number.isInteger(revenueWeight) || revenueWeight < 1,
    'absent member': Object.values(vehicle).some((value) => value === undefined),
  })
}

function dateFaults(vehicle: VehicleRecord, today: string): string[] {
  const { taxStatus, taxDueDate, motStatus, motExpiryDate, yearOfManufacture = 0 } = vehicle
  const { monthOfFirstRegistration: first = '', monthOfFirstServiceRegistration: here = '' } =
    vehicle
  const { dateOfLastV5CIssued: certificate = '' } = vehicle
  const year = Number(first.slice(0, 4))
  return named({
    months: !/^\d{4}-\d{2}$/.test(first) || !/^\d{4}-\d{2}$/.test(here),
    'order of months': first > here || here > today.slice(0, 7),
    'year of manufacture': yearOfManufacture > year || yearOfManufacture < year - 1,
    certificate: certificate.slice(0, 7) < first || certificate > today,
    'tax due': taxDueFault(taxStatus, taxDueDate, today),
    'tax before registration': taxDueDate && taxDueDate.slice(0, 7) < first,
    'test expiry': motFault(motStatus, motExpiryDate, today),
    'test before registration': motExpiryDate && motExpiryDate.slice(0, 7) <= first,
    'additional rate': vehicle.artEndDate && vehicle.artEndDate < '2023-03-31',
    export: vehicle.markedForExport && taxStatus === 'Taxed',
  })
}

function taxDueFault(status: string | undefined, due: string | undefined, today: string): boolean {
  if (status === 'Taxed') return due === undefined || due <= today || !due.endsWith('-01')
  if (status === 'Untaxed') return due === undefined || due > today || !due.endsWith('-01')
  return due !== undefined
}

function motFault(status: string | undefined, expiry: string | undefined, today: string): boolean {
  if (status === 'Valid') return expiry === undefined || expiry < today
  if (status === 'Not valid') return expiry === undefined || expiry >= today
  return expiry !== undefined
}

function engineFaults({ fuelType = '', engineCapacity, co2Emissions }: VehicleRecord): string[] {
  if (withoutCombustion.has(fuelType)) {
    return named({ 'electric with an engine': engineCapacity ?? co2Emissions })
  }
  return named({
    capacity: !engineCapacity || engineCapacity < 49 || engineCapacity > 16_000,
    emissions: co2Emissions !== undefined && (co2Emissions < 1 || co2Emissions > 400),
  })
}

/** Returns the names of the faults that there are. */
function named(faults: Record<string, unknown>): string[] {
  return Object.keys(faults).filter((fault) => faults[fault])
}
