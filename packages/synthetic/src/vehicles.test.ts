import { motStatuses, taxStatuses } from '@despatch/domain/vehicle/vehicle-record'
import { byEffort } from '@despatch/testing/effort'
import { describe, expect, test } from 'vitest'
import { testSet } from '../test/test-set.ts'
import { faultsOf } from '../test/vehicle-faults.ts'
import { generateVehicles, type VehicleSet } from './vehicles.ts'

const aSet: VehicleSet = { seed: 2026, count: 200, today: '2026-11-20' }

testSet(generateVehicles, { aSet, numberOf: ({ registrationNumber }) => registrationNumber })

describe('many vehicles', () => {
  const count = byEffort({ landing: 30_000, full: 100_000 })
  const faults: string[] = []
  const numbers = new Set<string>()
  const seen: Record<string, number> = {}
  for (const vehicle of generateVehicles({ ...aSet, count })) {
    faults.push(...faultsOf(vehicle, aSet.today))
    numbers.add(vehicle.registrationNumber)
    for (const [member, value] of Object.entries(vehicle)) {
      const what =
        typeof value === 'number' || /\d-/.test(String(value)) ? member : `${member} ${value}`
      seen[what] = (seen[what] ?? 0) + 1
    }
  }

  test('are without a fault', () => {
    expect(faults.slice(0, 10)).toEqual([])
  })

  test('have registration numbers that differ', () => {
    expect(numbers.size).toBe(count)
  })

  test('have every tax and test status and every optional member', () => {
    const wanted = [
      ...taxStatuses.map((status) => `taxStatus ${status}`),
      ...motStatuses.map((status) => `motStatus ${status}`),
      'artEndDate',
      'automatedVehicle true',
      'automatedVehicle false',
      'markedForExport true',
      'revenueWeight',
      'realDrivingEmissions 2',
      'euroStatus EURO 6 AD',
      'typeApproval M1',
      'wheelplan 3 AXLE RIGID BODY',
    ]

    expect(wanted.filter((what) => !seen[what])).toEqual([])
  })

  const shares: [what: string, from: number, to: number][] = [
    ['taxStatus Taxed', 0.8, 0.95],
    ['motStatus Valid', 0.55, 0.8],
    ['fuelType PETROL', 0.4, 0.6],
    ['fuelType DIESEL', 0.25, 0.45],
    ['fuelType ELECTRICITY', 0.04, 0.12],
    ['make FORD', 0.08, 0.18],
    ['make TESLA', 0.005, 0.03],
    ['colour BLACK', 0.15, 0.25],
  ]

  test.for(shares)('%s: at least %j and at most %j of them', ([what, from, to]) => {
    expect((seen[what] ?? 0) / count).toBeGreaterThanOrEqual(from)
    expect((seen[what] ?? 0) / count).toBeLessThanOrEqual(to)
  })
})
