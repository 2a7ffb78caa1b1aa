const doubled = /([lnrst])\1/

/** Surnames that are heard more often than they are spelt. */
const soundAlikes: Readonly<Record<string, string>> = {
  Allen: 'Allan',
  Bennett: 'Bennet',
  Clark: 'Clarke',
  Clarke: 'Clark',
  Johnson: 'Jonson',
  Phillips: 'Philips',
  Smith: 'Smyth',
  Taylor: 'Tayler',
  Thompson: 'Thomson',
  White: 'Whyte',
}

/** The surname as somebody may write it who has only heard it; undefined when none is at hand. */
export function misspell(lastName: string): string | undefined {
  const misspelt = soundAlikes[lastName] ?? lastName.replace(doubled, '$1')
  return misspelt === lastName ? undefined : misspelt
}
