import { configSchema, type Config } from './config-schema.ts';

/** Keys that are checked, and that nothing acts on in this version. */
const WITHOUT_EFFECT = {
  'intake.hold': (config: Config) => config.intake.hold,
  'collect.sftp': (config: Config) => config.collect.sftp,
  'results.columns': (config: Config) => config.results.columns,
  'results.attention': (config: Config) => config.results.attention,
  'results.formats': (config: Config) => config.results.formats,
  retention: (config: Config) => config.retention,
} as const;

/** A sentence for each key that somebody set and that has no effect yet: nobody should rely on it unknowingly. */
export function settingsWithoutEffect(config: Config): readonly string[] {
  const defaults = configSchema.parse({});
  return Object.entries(WITHOUT_EFFECT)
    .filter(([, valueOf]) => JSON.stringify(valueOf(config)) !== JSON.stringify(valueOf(defaults)))
    .map(([key]) => `config.yaml sets ${key}, which has no effect in this version.`);
}
