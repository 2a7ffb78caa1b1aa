declare module 'postman-paf' {
  /** Returns up to four lines in capitals; further elements are dropped. line5 is the post town. */
  export function convertStructuredToUnstructured(
    address: {
      [field in
        | 'poBoxNumber'
        | 'organisationName'
        | 'departmentName'
        | 'subBuildingName'
        | 'buildingName'
        | 'buildingNumber'
        | 'dependentThoroughfareName'
        | 'thoroughfareName'
        | 'doubleDependentLocality'
        | 'dependentLocality'
        | 'postTown'
        | 'postcode']?: string | undefined
    },
  ): {
    line1?: string
    line2?: string
    line3?: string
    line4?: string
    line5?: string | undefined
    postcode?: string | undefined
  }
}
