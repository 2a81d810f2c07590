import { z } from 'zod';
import { createProjectRequest } from '../../contract/document.ts';
import { templateData } from '../../contract/template-data.ts';

const hazard = z.strictObject({
  name: z.string(),
  text: z.string(),
  flag: z.string(),
  component: z.string().nullable(),
  directed: z.boolean(),
  recommendation: z.string(),
});
export type Hazard = z.infer<typeof hazard>;

const picturedHouse = z.strictObject({ name: z.string(), stories: z.int(), garage: z.boolean() });

const imageView = z.strictObject({
  shows: z.string(),
  type: z.string(),
  direction: z.string(),
  format: z.enum(['jpeg', 'png']),
});
export type ImageView = z.infer<typeof imageView>;

const reportFile = z.strictObject({ type: z.string(), format: z.enum(['pdf', 'xml', 'zip']), compressed: z.boolean() });

export const inspectionData = templateData(
  'sandbox/inspections',
  z.strictObject({
    hazards: z.array(hazard),
    poolWithoutFence: hazard,
    sections: z.record(z.string(), z.array(z.string())),
    slim: z.array(z.string()),
    closeout: z.array(z.string()),
    unlisted: z.array(z.tuple([z.string(), z.unknown()])),
    dwellingTypes: z.record(z.string(), z.string()),
    sampleOrder: createProjectRequest,
    houses: z.array(picturedHouse),
    views: z.array(imageView),
    secondReports: z.record(z.string(), reportFile),
  }),
);
