const doubled = /([lnrst])\1/

/** Surnames that are often misspelt when heard. */
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

/** Returns the surname as somebody may write it who has only heard it, or undefined if no misspelling is known. */
export function misspell(lastName: string): string | undefined {
  const misspelt = soundAlikes[lastName] ?? lastName.replace(doubled, '$1')
  return misspelt === lastName ? undefined : misspelt
}
