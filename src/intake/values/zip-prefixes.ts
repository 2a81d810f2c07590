/**
 * The first three digits of the ZIP codes of each state: single prefixes and ranges. A few prefixes serve two states
 * (063 Connecticut and Fishers Island, NY; 834 Idaho and Alta, WY; 967 Hawaii and American Samoa; 969 Guam and the Marianas).
 */
const PREFIXES: Readonly<Record<string, string>> = {
  AL: '350-369', AK: '995-999', AZ: '850-865', AR: '716-729', CA: '900-961', CO: '800-816', CT: '060-069', DE: '197-199',
  DC: '200 202-205 569', FL: '320-349', GA: '300-319 398-399', HI: '967-968', ID: '832-838', IL: '600-629', IN: '460-479',
  IA: '500-528', KS: '660-679', KY: '400-427', LA: '700-714', ME: '039-049', MD: '206-219', MA: '010-027 055', MI: '480-499',
  MN: '550-567', MS: '386-397', MO: '630-658', MT: '590-599', NE: '680-693', NV: '889-898', NH: '030-038', NJ: '070-089',
  NM: '870-884', NY: '005 063 100-149', NC: '270-289', ND: '580-588', OH: '430-459', OK: '730-732 734-749', OR: '970-979',
  PA: '150-196', RI: '028-029', SC: '290-299', SD: '570-577', TN: '370-385', TX: '733 750-799 885', UT: '840-847',
  VT: '050-054 056-059', VA: '201 220-246', WA: '980-994', WV: '247-268', WI: '530-549', WY: '820-831 834',
  AS: '967', GU: '969', MP: '969', PR: '006-007 009', VI: '008',
};

const STATES_BY_PREFIX: ReadonlyMap<string, readonly string[]> = (() => {
  const states = new Map<string, string[]>();
  for (const [state, ranges] of Object.entries(PREFIXES)) {
    for (const range of ranges.split(' ')) {
      const [from = '', to = from] = range.split('-');
      for (let prefix = Number(from); prefix <= Number(to); prefix += 1) {
        const digits = String(prefix).padStart(3, '0');
        states.set(digits, [...(states.get(digits) ?? []), state]);
      }
    }
  }
  return states;
})();

/** The states that a ZIP code may belong to, by its first three digits; none where no ZIP code begins so. */
export function statesOfZip(zipcode: string): readonly string[] {
  return STATES_BY_PREFIX.get(zipcode.slice(0, 3)) ?? [];
}
