import { createWeighted } from '../chance/weighted.ts'

/** Codes of offences with points, by real frequency. */
export const drawPointsCode = createWeighted([
  [430, 'SP30'],
  [130, 'SP50'],
  [85, 'IN10'],
  [65, 'CU80'],
  [60, 'TS10'],
  [55, 'CD10'],
  [45, 'MS90'],
  [30, 'LC20'],
  [15, 'CD30'],
  [12, 'CU30'],
  [10, 'AC10'],
  [10, 'AC20'],
  [8, 'SP10'],
  [8, 'SP20'],
  [6, 'TS50'],
  [5, 'TS20'],
  [5, 'IN14'],
  ...each(
    2,
    'AC30 CD20 CU10 CU20 CU40 CU50 DG40 DR40 DR50 DR60 DR70 DR90 IN12 IN16 LC24 LC30 LC40 LC50 MS10 MS20 MS30 MS60 MS70 MS80 MW10 PC10 PC20 PC30 SP40 TS30 TS40 TS60 TS70',
  ),
])

/** Codes of offences with a disqualification. */
export const drawBanCode = createWeighted([
  [400, 'DR10'],
  [150, 'TT99'],
  [110, 'DG10'],
  [80, 'IN10'],
  [70, 'DD40'],
  [50, 'BA10'],
  [40, 'DR30'],
  [30, 'DR20'],
  [30, 'SP30'],
  ...each(
    5,
    'AC10 BA30 BA60 CD10 CD33 CD80 CD90 DD10 DD90 DR31 DR61 DR80 DR12 MS50 MR09 MR19 MR29 MR39 MR49 MR59 UT50',
  ),
])

export const shortBanCodes = ['SP30', 'SP50', 'CD10', 'CU80', 'MS50', 'IN10']
export const extendedTestCodes = ['DD40', 'DD10', 'DD80', 'CD40', 'CD60', 'DD90']
export const lifeBanCodes = ['DD80', 'CD40', 'CD50', 'CD60', 'CD70', 'DG60', 'DD60', 'BA40']

function each(weight: number, codes: string): [number, string][] {
  return codes.split(' ').map((code) => [weight, code])
}
