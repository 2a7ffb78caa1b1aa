import { categoryCodes } from '@despatch/domain/driver/categories'
import type { Entitlement } from '@despatch/domain/driver/driver-record'
import { day } from '../day.ts'
import { type DriverScenario, driver } from '../driver-scenario.ts'

const held = (categoryCode: string, restrictionCodes: readonly string[] = []): Entitlement => ({
  categoryCode,
  categoryType: 'Full',
  fromDate: '1988-01-01',
  expiryDate: '2039-12-31',
  ...(restrictionCodes.length > 0 && {
    restrictions: restrictionCodes.map((restrictionCode) => ({ restrictionCode })),
  }),
})

/** RESTRICTED: information codes. CATEGORY: which entitlements are held. */
export const entitlementDrivers: readonly DriverScenario[] = [
  driver({ lastName: 'RESTRICTED', day: 1 }, 'Eyesight correction (01)', () => ({
    entitlement: [held('B', ['01'])],
  })),
  driver({ lastName: 'RESTRICTED', day: 2 }, 'Automatic transmission (78)', () => ({
    entitlement: [held('B', ['78'])],
  })),
  driver({ lastName: 'RESTRICTED', day: 3 }, 'Several restrictions on one entitlement', () => ({
    entitlement: [held('B', ['01', '10', '40', '44(04)'])],
  })),
  driver({ lastName: 'RESTRICTED', day: 4 }, 'Tricycles only (79(03))', () => ({
    entitlement: [held('A', ['79(03)']), held('B')],
  })),
  driver({ lastName: 'RESTRICTED', day: 5 }, 'Not for hire or reward, 8,250 kg (101, 107)', () => ({
    entitlement: [held('B'), held('C1E', ['107']), held('D1', ['101'])],
  })),
  driver({ lastName: 'CATEGORY', day: 1 }, 'Every category', () => ({
    entitlement: categoryCodes.map((code) => held(code)),
  })),
  driver({ lastName: 'CATEGORY', day: 2 }, 'Full and provisional entitlements', () => ({
    entitlement: [held('B'), { ...held('C'), categoryType: 'Provisional' }],
  })),
  driver({ lastName: 'CATEGORY', day: 3 }, 'No entitlement: an empty array', () => ({
    entitlement: [],
  })),
  driver({ lastName: 'CATEGORY', day: 4 }, 'An entitlement without dates', () => ({
    entitlement: [{ categoryCode: 'B', categoryType: 'Full' }],
  })),
  driver({ lastName: 'CATEGORY', day: 5 }, 'An entitlement that ended yesterday', (now) => ({
    entitlement: [held('B'), { ...held('C'), expiryDate: day(now, { days: -1 }) }],
  })),
  driver({ lastName: 'CATEGORY', day: 6 }, 'A token without dates or issue number', () => ({
    token: {},
  })),
]
