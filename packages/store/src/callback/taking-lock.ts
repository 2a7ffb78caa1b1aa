/**
 * An advisory lock that spells DCBT. Who has it decides alone which callbacks to call. Who shares it changes callbacks that
 * are due, which are not taken meanwhile.
 */
export const takingLock = 0x44434254
