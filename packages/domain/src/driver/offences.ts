export type Offence = {
  legalLiteral: string
  /** Fewest and most penalty points for one offence. 0 and 0: the offence carries none. */
  penaltyPoints: readonly [min: number, max: number]
  keptYears: 4 | 11
  keptFrom: 'offence' | 'conviction'
}

type Row = readonly [code: string, min: number, max: number, legalLiteral: string]

/** Stays on the record for 4 years from the offence. */
const fourYearsFromOffence: readonly Row[] = [
  ['AC10', 5, 10, 'Failing to stop after an accident'],
  ['AC20', 5, 10, 'Failing to give particulars or report an accident within 24 hours'],
  ['AC30', 4, 9, 'Undefined accident offences'],
  ['BA10', 6, 6, 'Driving while disqualified by order of court'],
  ['BA30', 6, 6, 'Attempting to drive while disqualified by order of court'],
  ['CD10', 3, 9, 'Driving without due care and attention'],
  ['CD20', 3, 9, 'Driving without reasonable consideration for other road users'],
  [
    'CD30',
    3,
    9,
    'Driving without due care and attention or without reasonable consideration for other road users',
  ],
  ['CD33', 3, 11, 'Causing serious injury by careless or inconsiderate driving'],
  ['CU10', 3, 3, 'Using a vehicle with defective brakes'],
  [
    'CU20',
    3,
    3,
    'Causing or likely to cause danger by reason of use of unsuitable vehicle or using a vehicle with parts or accessories (excluding brakes, steering or tyres) in a dangerous condition',
  ],
  ['CU30', 3, 3, 'Using a vehicle with defective tyre(s)'],
  ['CU40', 3, 3, 'Using a vehicle with defective steering'],
  ['CU50', 3, 3, 'Causing or likely to cause danger by reason of load or passengers'],
  [
    'CU80',
    3,
    6,
    'Breach of requirements as to control of the vehicle, such as using a mobile phone',
  ],
  ['DG40', 10, 10, 'In charge of a vehicle while drug level above specified limit'],
  ['DR40', 10, 10, 'In charge of a vehicle while alcohol level above limit'],
  ['DR50', 10, 10, 'In charge of a vehicle while unfit through drink'],
  [
    'DR60',
    10,
    10,
    'Failure to provide a specimen for analysis in circumstances other than driving or attempting to drive',
  ],
  ['DR70', 4, 4, 'Failing to co-operate with a preliminary test'],
  ['DR90', 10, 10, 'In charge of a vehicle when unfit through drugs'],
  ['IN10', 6, 8, 'Using a vehicle uninsured against third party risks'],
  ['LC20', 3, 6, 'Driving otherwise than in accordance with a licence'],
  [
    'LC30',
    3,
    6,
    'Driving after making a false declaration about fitness when applying for a licence',
  ],
  ['LC40', 3, 6, 'Driving a vehicle having failed to notify a disability'],
  [
    'LC50',
    3,
    6,
    'Driving after a licence has been cancelled (revoked) or refused on medical grounds',
  ],
  ['MS10', 3, 3, 'Leaving a vehicle in a dangerous position'],
  ['MS20', 3, 3, 'Unlawful pillion riding'],
  ['MS30', 2, 2, 'Play street offences'],
  ['MS50', 3, 11, 'Motor racing on the highway'],
  ['MS60', 3, 3, 'Offences not covered by other codes'],
  ['MS70', 3, 3, 'Driving with uncorrected defective eyesight'],
  ['MS80', 3, 3, 'Refusing to submit to an eyesight test'],
  ['MS90', 6, 6, 'Failure to give information as to identity of driver'],
  ['MW10', 3, 3, 'Contravention of special roads regulations (excluding speed limits)'],
  ['PC10', 3, 3, 'Undefined contravention of pedestrian crossing regulations'],
  ['PC20', 3, 3, 'Contravention of pedestrian crossing regulations with moving vehicle'],
  ['PC30', 3, 3, 'Contravention of pedestrian crossing regulations with stationary vehicle'],
  ['SP10', 3, 6, 'Exceeding goods vehicle speed limits'],
  [
    'SP20',
    3,
    6,
    'Exceeding speed limit for type of vehicle (excluding goods or passenger vehicles)',
  ],
  ['SP30', 3, 6, 'Exceeding statutory speed limit on a public road'],
  ['SP40', 3, 6, 'Exceeding passenger vehicle speed limit'],
  ['SP50', 3, 6, 'Exceeding speed limit on a motorway'],
  ['TS10', 3, 3, 'Failing to comply with traffic light signals'],
  ['TS20', 3, 3, 'Failing to comply with double white lines'],
  ['TS30', 3, 3, "Failing to comply with 'Stop' sign"],
  ['TS40', 3, 3, 'Failing to comply with direction of a constable or warden'],
  [
    'TS50',
    3,
    3,
    "Failing to comply with traffic sign (excluding 'Stop' signs, traffic lights or double white lines)",
  ],
  ['TS60', 3, 3, 'Failing to comply with a school crossing patrol sign'],
  ['TS70', 3, 3, 'Undefined failure to comply with a traffic direction sign'],
  ['UT50', 3, 11, 'Aggravated taking of a vehicle'],
]

/** Stays on the record for 4 years from the conviction. */
const fourYearsFromConviction: readonly Row[] = [
  ['BA40', 3, 11, 'Causing death by driving while disqualified'],
  ['BA60', 3, 11, 'Causing serious injury by driving while disqualified'],
  ['CD80', 3, 11, 'Causing death by careless, or inconsiderate, driving'],
  ['CD90', 3, 11, 'Causing death by driving: unlicensed, disqualified or uninsured drivers'],
  ['DD10', 3, 11, 'Causing serious injury by dangerous driving'],
  ['DD40', 3, 11, 'Dangerous driving'],
  ['DD60', 3, 11, 'Manslaughter or culpable homicide while driving a vehicle'],
  ['DD80', 3, 11, 'Causing death by dangerous driving'],
  ['DD90', 3, 9, 'Furious driving'],
  ['TT99', 0, 0, "Disqualification under 'totting-up' procedure"],
  ['MR09', 0, 0, 'Disqualified elsewhere: reckless or dangerous driving'],
  [
    'MR19',
    0,
    0,
    'Disqualified elsewhere: wilful failure to stop after a road accident (hit and run)',
  ],
  [
    'MR29',
    0,
    0,
    'Disqualified elsewhere: driving under the influence of alcohol or other substance',
  ],
  ['MR39', 0, 0, 'Disqualified elsewhere: driving faster than the permitted speed'],
  ['MR49', 0, 0, 'Disqualified elsewhere: driving while disqualified'],
  ['MR59', 0, 0, 'Disqualified elsewhere: other conduct'],
]

/** Stays on the record for 11 years from the conviction: drink, drugs and refused specimens. */
const elevenYearsFromConviction: readonly Row[] = [
  ['CD40', 3, 11, 'Causing death through careless driving when unfit through drink'],
  ['CD50', 3, 11, 'Causing death by careless driving when unfit through drugs'],
  ['CD60', 3, 11, 'Causing death by careless driving with alcohol level above the limit'],
  [
    'CD70',
    3,
    11,
    'Causing death by careless driving then failing to supply a specimen for alcohol analysis',
  ],
  ['DG10', 3, 11, 'Driving or attempting to drive with drug level above the specified limit'],
  ['DG60', 3, 11, 'Causing death by careless driving with drug level above the limit'],
  ['DR10', 3, 11, 'Driving or attempting to drive with alcohol level above limit'],
  ['DR20', 3, 11, 'Driving or attempting to drive while unfit through drink'],
  ['DR30', 3, 11, 'Driving or attempting to drive then failing to supply a specimen for analysis'],
  [
    'DR31',
    3,
    11,
    'Driving or attempting to drive then refusing to give permission for analysis of a blood sample that was taken without consent due to incapacity',
  ],
  [
    'DR61',
    10,
    10,
    'Refusing to give permission for analysis of a blood sample that was taken without consent due to incapacity in circumstances other than driving or attempting to drive',
  ],
  ['DR80', 3, 11, 'Driving or attempting to drive when unfit through drugs'],
]

/** Every offence by its own code, in the wording of the public list. */
export const offences: ReadonlyMap<string, Offence> = new Map([
  ...entries(fourYearsFromOffence, { keptYears: 4, keptFrom: 'offence' }),
  ...entries(fourYearsFromConviction, { keptYears: 4, keptFrom: 'conviction' }),
  ...entries(elevenYearsFromConviction, { keptYears: 11, keptFrom: 'conviction' }),
])

function entries(
  rows: readonly Row[],
  kept: Pick<Offence, 'keptYears' | 'keptFrom'>,
): [string, Offence][] {
  return rows.map(([code, min, max, legalLiteral]) => [
    code,
    { legalLiteral, penaltyPoints: [min, max], ...kept },
  ])
}
