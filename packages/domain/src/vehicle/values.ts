/** Known values of vehicles. The interface lists none of them, so an enquiry may also return others. */
export const fuelTypes = [
  'PETROL',
  'DIESEL',
  'ELECTRICITY',
  'HYBRID ELECTRIC',
  'HEAVY OIL',
  'GAS',
  'GAS BI-FUEL',
  'GAS DIESEL',
  'STEAM',
  'FUEL CELLS',
  'OTHER',
] as const

export const colours = [
  'BEIGE',
  'BLACK',
  'BLUE',
  'BRONZE',
  'BROWN',
  'BUFF',
  'CREAM',
  'GOLD',
  'GREEN',
  'GREY',
  'MAROON',
  'MULTI-COLOUR',
  'NOT STATED',
  'ORANGE',
  'PINK',
  'PURPLE',
  'RED',
  'SILVER',
  'TURQUOISE',
  'WHITE',
  'YELLOW',
] as const
export type Colour = (typeof colours)[number]

export const wheelplans = [
  '2 AXLE RIGID BODY',
  '3 AXLE RIGID BODY',
  'MULTI-AXLE RIGID',
  '2-AXLE & ARTIC',
  '2-WHEEL',
  '3 WHEEL',
] as const

/** Type approval categories: cars and buses, goods vehicles, two and three wheels, trailers, tractors. */
export const typeApprovals = [
  'M1',
  'M2',
  'M3',
  'N1',
  'N2',
  'N3',
  'L1',
  'L2',
  'L3',
  'L4',
  'L5',
  'L6',
  'L7',
  'O1',
  'O2',
  'O3',
  'O4',
  'T1',
] as const

export const euroStatuses = [
  'EURO1',
  'EURO2',
  'EURO3',
  'EURO4',
  'EURO5',
  'EURO6',
  'EURO 6 AD',
] as const

export const realDrivingEmissionsValues = ['1', '2'] as const
