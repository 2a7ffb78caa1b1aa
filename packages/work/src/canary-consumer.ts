/** The consumer of canaries: entries in the waiting work without a subject. No consumer has this id, the lowest. */
export const canaryConsumerId = '00000000-0000-0000-0000-000000000000'
