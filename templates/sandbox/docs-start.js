/* global SwaggerUIBundle */
SwaggerUIBundle({ url: 'openapi.json', dom_id: '#viewer', deepLinking: true, validatorUrl: null });
