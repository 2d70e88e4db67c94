#include "sim/apiserver/types/declared_types.h"

namespace nlc::sim {

std::string_view declared_types() {
  return R"(
AWSElasticBlockStoreVolumeSource: 1 volumeID string; 2 fsType string?; 3 partition int32?;
    4 readOnly bool?
Affinity: 1 nodeAffinity *NodeAffinity?; 2 podAffinity *PodAffinity?;
    3 podAntiAffinity *PodAntiAffinity?
AppArmorProfile: 1 type v1.AppArmorProfileType; 2 localhostProfile *string?
AttachedVolume: 1 name v1.UniqueVolumeName; 2 devicePath string
AzureDiskVolumeSource: 1 diskName string; 2 diskURI string;
    3 cachingMode *v1.AzureDataDiskCachingMode?; 4 fsType *string?; 5 readOnly *bool?;
    6 kind *v1.AzureDataDiskKind?
AzureFileVolumeSource: 1 secretName string; 2 shareName string; 3 readOnly bool?
Binding: 1 metadata ObjectMeta; 2 target ObjectReference
CSIVolumeSource: 1 driver string; 2 readOnly *bool?; 3 fsType *string?;
    4 volumeAttributes map[string]string?; 5 nodePublishSecretRef *LocalObjectReference?
Capabilities: 1 add []v1.Capability?; 2 drop []v1.Capability?
CephFSVolumeSource: 1 monitors []string; 2 path string?; 3 user string?; 4 secretFile string?;
    5 secretRef *LocalObjectReference?; 6 readOnly bool?
CinderVolumeSource: 1 volumeID string; 2 fsType string?; 3 readOnly bool?;
    4 secretRef *LocalObjectReference?
ClusterTrustBundleProjection: 1 name *string?; 2 signerName *string?;
    3 labelSelector *LabelSelector?; 5 optional *bool?; 4 path string; 6 user *int64?
ConfigMap: 1 metadata ObjectMeta; 4 immutable *bool?; 2 data map[string]string?;
    3 binaryData map[string]bytes?
ConfigMapEnvSource: 1 LocalObjectReference; 2 optional *bool?
ConfigMapKeySelector: 1 LocalObjectReference; 2 key string; 3 optional *bool?
ConfigMapNodeConfigSource: 1 namespace string; 2 name string; 3 uid types.UID?;
    4 resourceVersion string?; 5 kubeletConfigKey string
ConfigMapProjection: 1 LocalObjectReference; 2 items []KeyToPath?; 4 optional *bool?
ConfigMapVolumeSource: 1 LocalObjectReference; 2 items []KeyToPath?; 3 defaultMode *int32?;
    4 optional *bool?; 5 defaultUser *int64?
Container: 1 name string; 2 image string?; 3 command []string?; 4 args []string?;
    5 workingDir string?; 6 ports []ContainerPort?; 19 envFrom []EnvFromSource?; 7 env []EnvVar?;
    8 resources ResourceRequirements; 23 resizePolicy []ContainerResizePolicy?;
    24 restartPolicy *v1.ContainerRestartPolicy?; 25 restartPolicyRules []ContainerRestartRule?;
    9 volumeMounts []VolumeMount?; 21 volumeDevices []VolumeDevice?; 10 livenessProbe *Probe?;
    11 readinessProbe *Probe?; 22 startupProbe *Probe?; 12 lifecycle *Lifecycle?;
    13 terminationMessagePath string?; 20 terminationMessagePolicy v1.TerminationMessagePolicy?;
    14 imagePullPolicy v1.PullPolicy?; 15 securityContext *SecurityContext?; 16 stdin bool?;
    17 stdinOnce bool?; 18 tty bool?
ContainerExtendedResourceRequest: 1 containerName string; 2 resourceName string;
    3 requestName string
ContainerImage: 1 names []string; 2 sizeBytes int64?
ContainerPort: 1 name string?; 2 hostPort int32?; 3 containerPort int32; 4 protocol v1.Protocol?;
    5 hostIP string?
ContainerResizePolicy: 1 resourceName v1.ResourceName;
    2 restartPolicy v1.ResourceResizeRestartPolicy
ContainerRestartRule: 1 action v1.ContainerRestartRuleAction?;
    2 exitCodes *ContainerRestartRuleOnExitCodes?
ContainerRestartRuleOnExitCodes: 1 operator v1.ContainerRestartRuleOnExitCodesOperator?;
    2 values []int32?
ContainerState: 1 waiting *ContainerStateWaiting?; 2 running *ContainerStateRunning?;
    3 terminated *ContainerStateTerminated?
ContainerStateRunning: 1 startedAt Time
ContainerStateTerminated: 1 exitCode int32; 2 signal int32?; 3 reason string?; 4 message string?;
    5 startedAt Time; 6 finishedAt Time; 7 containerID string?
ContainerStateWaiting: 1 reason string?; 2 message string?
ContainerStatus: 1 name string; 2 state ContainerState; 3 lastState ContainerState; 4 ready bool;
    5 restartCount int32; 6 image string; 7 imageID string; 8 containerID string?; 9 started *bool?;
    10 allocatedResources map[string]Quantity?; 11 resources *ResourceRequirements?;
    12 volumeMounts []VolumeMountStatus?; 13 user *ContainerUser?;
    14 allocatedResourcesStatus []ResourceStatus?; 15 stopSignal *v1.Signal?
ContainerUser: 1 linux *LinuxContainerUser?
DaemonEndpoint: 1 Port int32
DaemonSet: 1 metadata ObjectMeta; 2 spec DaemonSetSpec; 3 status DaemonSetStatus
DaemonSetCondition: 1 type v1.DaemonSetConditionType; 2 status v1.ConditionStatus;
    3 lastTransitionTime Time; 4 reason string?; 5 message string?
DaemonSetSpec: 1 selector *LabelSelector; 2 template PodTemplateSpec;
    3 updateStrategy DaemonSetUpdateStrategy; 4 minReadySeconds int32?;
    6 revisionHistoryLimit *int32?
DaemonSetStatus: 1 currentNumberScheduled int32; 2 numberMisscheduled int32;
    3 desiredNumberScheduled int32; 4 numberReady int32; 5 observedGeneration int64?;
    6 updatedNumberScheduled int32?; 7 numberAvailable int32?; 8 numberUnavailable int32?;
    9 collisionCount *int32?; 10 conditions []DaemonSetCondition?
DaemonSetUpdateStrategy: 1 type v1.DaemonSetUpdateStrategyType?;
    2 rollingUpdate *RollingUpdateDaemonSet?
DeleteOptions: 1 gracePeriodSeconds *int64?; 2 preconditions *Preconditions?;
    3 orphanDependents *bool?; 4 propagationPolicy *v1.DeletionPropagation?; 5 dryRun []string?;
    6 ignoreStoreReadErrorWithClusterBreakingPotential *bool?
DownwardAPIProjection: 1 items []DownwardAPIVolumeFile?
DownwardAPIVolumeFile: 1 path string; 2 fieldRef *ObjectFieldSelector?;
    3 resourceFieldRef *ResourceFieldSelector?; 4 mode *int32?; 5 user *int64?
DownwardAPIVolumeSource: 1 items []DownwardAPIVolumeFile?; 2 defaultMode *int32?;
    3 defaultUser *int64?
EmptyDirVolumeSource: 1 medium v1.StorageMedium?; 2 sizeLimit *Quantity?; 3 mode *int32?
EndpointAddress: 1 ip string; 3 hostname string?; 4 nodeName *string?; 2 targetRef *ObjectReference?
EndpointPort: 1 name string?; 2 port int32; 3 protocol v1.Protocol?; 4 appProtocol *string?
EndpointSubset: 1 addresses []EndpointAddress?; 2 notReadyAddresses []EndpointAddress?;
    3 ports []EndpointPort?
Endpoints: 1 metadata ObjectMeta; 2 subsets []EndpointSubset?
EnvFromSource: 1 prefix string?; 2 configMapRef *ConfigMapEnvSource?; 3 secretRef *SecretEnvSource?
EnvVar: 1 name string; 2 value string?; 3 valueFrom *EnvVarSource?
EnvVarSource: 1 fieldRef *ObjectFieldSelector?; 2 resourceFieldRef *ResourceFieldSelector?;
    3 configMapKeyRef *ConfigMapKeySelector?; 4 secretKeyRef *SecretKeySelector?;
    5 fileKeyRef *FileKeySelector?
EphemeralContainer: 1 Container; 2 targetContainerName string?
EphemeralVolumeSource: 1 volumeClaimTemplate *PersistentVolumeClaimTemplate?
Event: 1 metadata ObjectMeta; 2 involvedObject ObjectReference; 3 reason string?; 4 message string?;
    5 source EventSource; 6 firstTimestamp Time; 7 lastTimestamp Time; 8 count int32?;
    9 type string?; 10 eventTime MicroTime; 11 series *EventSeries?; 12 action string?;
    13 related *ObjectReference?; 14 reportingComponent string; 15 reportingInstance string
EventSeries: 1 count int32?; 2 lastObservedTime MicroTime
EventSource: 1 component string?; 2 host string?
Eviction: 1 metadata ObjectMeta; 2 deleteOptions *DeleteOptions?
EvictionResponder: 1 name string; 2 priority *int32
ExecAction: 1 command []string?
FCVolumeSource: 1 targetWWNs []string?; 2 lun *int32?; 3 fsType string?; 4 readOnly bool?;
    5 wwids []string?
FileKeySelector: 1 volumeName string; 2 path string; 3 key string; 4 optional *bool?
FlexVolumeSource: 1 driver string; 2 fsType string?; 3 secretRef *LocalObjectReference?;
    4 readOnly bool?; 5 options map[string]string?
FlockerVolumeSource: 1 datasetName string?; 2 datasetUUID string?
GCEPersistentDiskVolumeSource: 1 pdName string; 2 fsType string?; 3 partition int32?;
    4 readOnly bool?
GRPCAction: 1 port int32; 2 service *string; 3 mode *v1.GRPCProbeMode?
GitRepoVolumeSource: 1 repository string; 2 revision string?; 3 directory string?
GlusterfsVolumeSource: 1 endpoints string; 2 path string; 3 readOnly bool?
HTTPGetAction: 1 path string?; 2 port IntOrString; 3 host string?; 4 scheme v1.URIScheme?;
    5 httpHeaders []HTTPHeader?; 6 protocol *v1.HTTPProtocol?
HTTPHeader: 1 name string; 2 value string
HostAlias: 1 ip string; 2 hostnames []string?
HostIP: 1 ip string
HostPathVolumeSource: 1 path string; 2 type *v1.HostPathType?
ISCSIVolumeSource: 1 targetPortal string; 2 iqn string; 3 lun int32; 4 iscsiInterface string?;
    5 fsType string?; 6 readOnly bool?; 7 portals []string?; 8 chapAuthDiscovery bool?;
    11 chapAuthSession bool?; 10 secretRef *LocalObjectReference?; 12 initiatorName *string?
ImageVolumeSource: 1 reference string?; 2 pullPolicy v1.PullPolicy?
ImageVolumeStatus: 1 imageRef string?
KeyToPath: 1 key string; 2 path string; 3 mode *int32?; 4 user *int64?
LabelSelector: 1 matchLabels map[string]string?; 2 matchExpressions []LabelSelectorRequirement?
LabelSelectorRequirement: 1 key string; 2 operator v1.LabelSelectorOperator; 3 values []string?
Lease: 1 metadata ObjectMeta; 2 spec LeaseSpec
LeaseSpec: 1 holderIdentity *string?; 2 leaseDurationSeconds *int32?; 3 acquireTime *MicroTime?;
    4 renewTime *MicroTime?; 5 leaseTransitions *int32?; 6 strategy *v1.CoordinatedLeaseStrategy?;
    7 preferredHolder *string?
Lifecycle: 1 postStart *LifecycleHandler?; 2 preStop *LifecycleHandler?; 3 stopSignal *v1.Signal?
LifecycleHandler: 1 exec *ExecAction?; 2 httpGet *HTTPGetAction?; 3 tcpSocket *TCPSocketAction?;
    4 sleep *SleepAction?
LinuxContainerUser: 1 uid int64; 2 gid int64; 3 supplementalGroups []int64?
ListMeta: 1 selfLink string?; 2 resourceVersion string?; 3 continue string?;
    4 remainingItemCount *int64?
LocalObjectReference: 1 name string?
ManagedFieldsEntry: 1 manager string?; 2 operation v1.ManagedFieldsOperationType?;
    3 apiVersion string?; 4 time *Time?; 6 fieldsType string?; 7 fieldsV1 *FieldsV1?;
    8 subresource string?
NFSVolumeSource: 1 server string; 2 path string; 3 readOnly bool?
Namespace: 1 metadata ObjectMeta; 2 spec NamespaceSpec; 3 status NamespaceStatus
NamespaceCondition: 1 type v1.NamespaceConditionType; 2 status v1.ConditionStatus;
    4 lastTransitionTime Time; 5 reason string?; 6 message string?
NamespaceSpec: 1 finalizers []v1.FinalizerName?
NamespaceStatus: 1 phase v1.NamespacePhase?; 2 conditions []NamespaceCondition?
Node: 1 metadata ObjectMeta; 2 spec NodeSpec; 3 status NodeStatus
NodeAddress: 1 type v1.NodeAddressType; 2 address string
NodeAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution *NodeSelector?;
    2 preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm?
NodeAllocatableMappedResources: 1 name v1.ResourceName; 2 quantity *Quantity
NodeAllocatableOverheadResources: 1 name v1.ResourceName; 2 perPod *Quantity?;
    3 perContainer *Quantity?
NodeAllocatableResourceClaimStatus: 1 resourceClaimName string; 2 containers []string?;
    4 mapping []NodeAllocatableMappedResources?; 5 overhead []NodeAllocatableOverheadResources?
NodeCondition: 1 type v1.NodeConditionType; 2 status v1.ConditionStatus; 3 lastHeartbeatTime Time;
    4 lastTransitionTime Time; 5 reason string?; 6 message string?
NodeConfigSource: 2 configMap *ConfigMapNodeConfigSource?
NodeConfigStatus: 1 assigned *NodeConfigSource?; 2 active *NodeConfigSource?;
    3 lastKnownGood *NodeConfigSource?; 4 error string?
NodeDaemonEndpoints: 1 kubeletEndpoint DaemonEndpoint
NodeFeatures: 1 supplementalGroupsPolicy *bool?
NodePodPreemptionPolicy: 1 disableResizePreemption []string?
NodeRuntimeHandler: 1 name string; 2 features *NodeRuntimeHandlerFeatures?
NodeRuntimeHandlerFeatures: 1 recursiveReadOnlyMounts *bool?; 2 userNamespaces *bool?
NodeSelector: 1 nodeSelectorTerms []NodeSelectorTerm
NodeSelectorRequirement: 1 key string; 2 operator v1.NodeSelectorOperator; 3 values []string?
NodeSelectorTerm: 1 matchExpressions []NodeSelectorRequirement?;
    2 matchFields []NodeSelectorRequirement?
NodeSpec: 1 podCIDR string?; 7 podCIDRs []string?; 3 providerID string?; 4 unschedulable bool?;
    5 taints []Taint?; 6 configSource *NodeConfigSource?; 2 externalID string?;
    8 podPreemptionPolicy *NodePodPreemptionPolicy?
NodeStatus: 1 capacity map[string]Quantity?; 2 allocatable map[string]Quantity?;
    3 phase v1.NodePhase?; 4 conditions []NodeCondition?; 5 addresses []NodeAddress?;
    6 daemonEndpoints NodeDaemonEndpoints; 7 nodeInfo NodeSystemInfo; 8 images []ContainerImage?;
    9 volumesInUse []v1.UniqueVolumeName?; 10 volumesAttached []AttachedVolume?;
    11 config *NodeConfigStatus?; 12 runtimeHandlers []NodeRuntimeHandler?;
    13 features *NodeFeatures?; 14 declaredFeatures []string?
NodeSwapStatus: 1 capacity *int64?
NodeSystemInfo: 1 machineID string; 2 systemUUID string; 3 bootID string; 4 kernelVersion string;
    5 osImage string; 6 containerRuntimeVersion string; 7 kubeletVersion string;
    8 kubeProxyVersion string; 9 operatingSystem string; 10 architecture string;
    11 swap *NodeSwapStatus?; 12 runningInUserNamespace *bool?
ObjectFieldSelector: 1 apiVersion string?; 2 fieldPath string
ObjectMeta: 1 name string?; 2 generateName string?; 3 namespace string?; 4 selfLink string?;
    5 uid types.UID?; 6 resourceVersion string?; 7 generation int64?; 8 creationTimestamp Time?;
    9 deletionTimestamp *Time?; 10 deletionGracePeriodSeconds *int64?; 11 labels map[string]string?;
    12 annotations map[string]string?; 13 ownerReferences []OwnerReference?;
    14 finalizers []string?; 17 managedFields []ManagedFieldsEntry?
ObjectReference: 1 kind string?; 2 namespace string?; 3 name string?; 4 uid types.UID?;
    5 apiVersion string?; 6 resourceVersion string?; 7 fieldPath string?
OwnerReference: 5 apiVersion string; 1 kind string; 3 name string; 4 uid types.UID;
    6 controller *bool?; 7 blockOwnerDeletion *bool?
PersistentVolumeClaimSpec: 1 accessModes []v1.PersistentVolumeAccessMode?;
    4 selector *LabelSelector?; 2 resources VolumeResourceRequirements; 3 volumeName string?;
    5 storageClassName *string?; 6 volumeMode *v1.PersistentVolumeMode?;
    7 dataSource *TypedLocalObjectReference?; 8 dataSourceRef *TypedObjectReference?;
    9 volumeAttributesClassName *string?
PersistentVolumeClaimTemplate: 1 metadata ObjectMeta; 2 spec PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource: 1 claimName string; 2 readOnly bool?
PhotonPersistentDiskVolumeSource: 1 pdID string; 2 fsType string?
Pod: 1 metadata ObjectMeta; 2 spec PodSpec; 3 status PodStatus
PodAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm?;
    2 preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm?
PodAffinityTerm: 1 labelSelector *LabelSelector?; 2 namespaces []string?; 3 topologyKey string;
    4 namespaceSelector *LabelSelector?; 5 matchLabelKeys []string?; 6 mismatchLabelKeys []string?
PodAntiAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm?;
    2 preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm?
PodCertificateProjection: 1 signerName string?; 2 keyType string?; 3 maxExpirationSeconds *int32?;
    4 credentialBundlePath string?; 5 keyPath string?; 6 certificateChainPath string?;
    7 userAnnotations map[string]string?; 8 user *int64?
PodCondition: 1 type v1.PodConditionType; 7 observedGeneration int64?; 2 status v1.ConditionStatus;
    3 lastProbeTime Time; 4 lastTransitionTime Time; 5 reason string?; 6 message string?
PodDNSConfig: 1 nameservers []string?; 2 searches []string?; 3 options []PodDNSConfigOption?
PodDNSConfigOption: 1 name string?; 2 value *string?
PodExtendedResourceClaimStatus: 1 requestMappings []ContainerExtendedResourceRequest;
    2 resourceClaimName string
PodIP: 1 ip string
PodOS: 1 name v1.OSName
PodReadinessGate: 1 conditionType v1.PodConditionType
PodResourceClaim: 1 name string; 3 resourceClaimName *string?; 4 resourceClaimTemplateName *string?
PodResourceClaimStatus: 1 name string; 2 resourceClaimName *string?
PodSchedulingGate: 1 name string
PodSchedulingGroup: 1 podGroupName *string?
PodSecurityContext: 1 seLinuxOptions *SELinuxOptions?;
    8 windowsOptions *WindowsSecurityContextOptions?; 2 runAsUser *int64?; 6 runAsGroup *int64?;
    3 runAsNonRoot *bool?; 4 supplementalGroups []int64?;
    12 supplementalGroupsPolicy *v1.SupplementalGroupsPolicy?; 5 fsGroup *int64?;
    7 sysctls []Sysctl?; 9 fsGroupChangePolicy *v1.PodFSGroupChangePolicy?;
    10 seccompProfile *SeccompProfile?; 11 appArmorProfile *AppArmorProfile?;
    13 seLinuxChangePolicy *v1.PodSELinuxChangePolicy?
PodSpec: 1 volumes []Volume?; 20 initContainers []Container?; 2 containers []Container;
    34 ephemeralContainers []EphemeralContainer?; 3 restartPolicy v1.RestartPolicy?;
    4 terminationGracePeriodSeconds *int64?; 5 activeDeadlineSeconds *int64?;
    6 dnsPolicy v1.DNSPolicy?; 7 nodeSelector map[string]string?; 8 serviceAccountName string?;
    9 serviceAccount string?; 21 automountServiceAccountToken *bool?; 10 nodeName string?;
    11 hostNetwork bool?; 12 hostPID bool?; 13 hostIPC bool?; 27 shareProcessNamespace *bool?;
    14 securityContext *PodSecurityContext?; 15 imagePullSecrets []LocalObjectReference?;
    16 hostname string?; 17 subdomain string?; 18 affinity *Affinity?; 19 schedulerName string?;
    22 tolerations []Toleration?; 23 hostAliases []HostAlias?; 24 priorityClassName string?;
    25 priority *int32?; 26 dnsConfig *PodDNSConfig?; 28 readinessGates []PodReadinessGate?;
    29 runtimeClassName *string?; 30 enableServiceLinks *bool?;
    31 preemptionPolicy *v1.PreemptionPolicy?; 32 overhead map[string]Quantity?;
    33 topologySpreadConstraints []TopologySpreadConstraint?; 35 setHostnameAsFQDN *bool?;
    36 os *PodOS?; 37 hostUsers *bool?; 38 schedulingGates []PodSchedulingGate?;
    39 resourceClaims []PodResourceClaim?; 40 resources *ResourceRequirements?;
    41 hostnameOverride *string?; 43 schedulingGroup *PodSchedulingGroup?;
    44 evictionResponders []EvictionResponder?
PodStatus: 17 observedGeneration int64?; 1 phase v1.PodPhase?; 2 conditions []PodCondition?;
    3 message string?; 4 reason string?; 11 nominatedNodeName string?; 5 hostIP string?;
    16 hostIPs []HostIP?; 6 podIP string?; 12 podIPs []PodIP?; 7 startTime *Time?;
    10 initContainerStatuses []ContainerStatus?; 8 containerStatuses []ContainerStatus?;
    9 qosClass v1.PodQOSClass?; 13 ephemeralContainerStatuses []ContainerStatus?;
    14 resize v1.PodResizeStatus?; 15 resourceClaimStatuses []PodResourceClaimStatus?;
    18 extendedResourceClaimStatus *PodExtendedResourceClaimStatus?;
    19 allocatedResources map[string]Quantity?; 20 resources *ResourceRequirements?;
    21 nodeAllocatableResourceClaimStatuses []NodeAllocatableResourceClaimStatus?;
    22 volumeHealth []PodVolumeHealth?
PodTemplateSpec: 1 metadata ObjectMeta; 2 spec PodSpec
PodVolumeHealth: 1 name string; 2 healthConditions []VolumeHealthCondition?;
    3 lastTransitionTime Time
PortworxVolumeSource: 1 volumeID string; 2 fsType string?; 3 readOnly bool?
Preconditions: 1 uid *types.UID?; 2 resourceVersion *string?
PreferredSchedulingTerm: 1 weight int32; 2 preference NodeSelectorTerm
Probe: 1 ProbeHandler; 2 initialDelaySeconds int32?; 3 timeoutSeconds int32?;
    4 periodSeconds int32?; 5 successThreshold int32?; 6 failureThreshold int32?;
    7 terminationGracePeriodSeconds *int64?
ProbeHandler: 1 exec *ExecAction?; 2 httpGet *HTTPGetAction?; 3 tcpSocket *TCPSocketAction?;
    4 grpc *GRPCAction?
ProjectedVolumeSource: 1 sources []VolumeProjection; 2 defaultMode *int32?; 3 defaultUser *int64?
QuobyteVolumeSource: 1 registry string; 2 volume string; 3 readOnly bool?; 4 user string?;
    5 group string?; 6 tenant string?
RBDVolumeSource: 1 monitors []string; 2 image string; 3 fsType string?; 4 pool string?;
    5 user string?; 6 keyring string?; 7 secretRef *LocalObjectReference?; 8 readOnly bool?
ResourceClaim: 1 name string; 2 request string?
ResourceFieldSelector: 1 containerName string?; 2 resource string; 3 divisor Quantity
ResourceHealth: 1 resourceID v1.ResourceID; 2 health v1.ResourceHealthStatus?; 6 message *string?
ResourceRequirements: 1 limits map[string]Quantity?; 2 requests map[string]Quantity?;
    3 claims []ResourceClaim?
ResourceStatus: 1 name v1.ResourceName; 2 resources []ResourceHealth?
RollingUpdateDaemonSet: 1 maxUnavailable *IntOrString?; 2 maxSurge *IntOrString?
SELinuxOptions: 1 user string?; 2 role string?; 3 type string?; 4 level string?
ScaleIOVolumeSource: 1 gateway string; 2 system string; 3 secretRef *LocalObjectReference;
    4 sslEnabled bool?; 5 protectionDomain string?; 6 storagePool string?; 7 storageMode string?;
    8 volumeName string?; 9 fsType string?; 10 readOnly bool?
SeccompProfile: 1 type v1.SeccompProfileType; 2 localhostProfile *string?
SecretEnvSource: 1 LocalObjectReference; 2 optional *bool?
SecretKeySelector: 1 LocalObjectReference; 2 key string; 3 optional *bool?
SecretProjection: 1 LocalObjectReference; 2 items []KeyToPath?; 4 optional *bool?
SecretVolumeSource: 1 secretName string?; 2 items []KeyToPath?; 3 defaultMode *int32?;
    4 optional *bool?; 5 defaultUser *int64?
SecurityContext: 1 capabilities *Capabilities?; 2 privileged *bool?;
    3 seLinuxOptions *SELinuxOptions?; 10 windowsOptions *WindowsSecurityContextOptions?;
    4 runAsUser *int64?; 8 runAsGroup *int64?; 5 runAsNonRoot *bool?;
    6 readOnlyRootFilesystem *bool?; 7 allowPrivilegeEscalation *bool?;
    9 procMount *v1.ProcMountType?; 11 seccompProfile *SeccompProfile?;
    12 appArmorProfile *AppArmorProfile?
ServiceAccount: 1 metadata ObjectMeta; 2 secrets []ObjectReference?;
    3 imagePullSecrets []LocalObjectReference?; 4 automountServiceAccountToken *bool?
ServiceAccountTokenProjection: 1 audience string?; 2 expirationSeconds *int64?; 3 path string;
    4 user *int64?
SleepAction: 1 seconds int64
Status: 1 metadata ListMeta?; 2 status string?; 3 message string?; 4 reason v1.StatusReason?;
    5 details *StatusDetails?; 6 code int32?
StatusCause: 1 reason v1.CauseType?; 2 message string?; 3 field string?
StatusDetails: 1 name string?; 2 group string?; 3 kind string?; 4 causes []StatusCause?;
    5 retryAfterSeconds int32?; 6 uid types.UID?
StorageOSVolumeSource: 1 volumeName string?; 2 volumeNamespace string?; 3 fsType string?;
    4 readOnly bool?; 5 secretRef *LocalObjectReference?
Sysctl: 1 name string; 2 value string
TCPSocketAction: 1 port IntOrString; 2 host string?
Taint: 1 key string; 2 value string?; 3 effect v1.TaintEffect; 4 timeAdded *Time?
Toleration: 1 key string?; 2 operator v1.TolerationOperator?; 3 value string?;
    4 effect v1.TaintEffect?; 5 tolerationSeconds *int64?
TopologySpreadConstraint: 1 maxSkew int32; 2 topologyKey string;
    3 whenUnsatisfiable v1.UnsatisfiableConstraintAction; 4 labelSelector *LabelSelector?;
    5 minDomains *int32?; 6 nodeAffinityPolicy *v1.NodeInclusionPolicy?;
    7 nodeTaintsPolicy *v1.NodeInclusionPolicy?; 8 matchLabelKeys []string?
TypedLocalObjectReference: 1 apiGroup *string; 2 kind string; 3 name string
TypedObjectReference: 1 apiGroup *string; 2 kind string; 3 name string; 4 namespace *string?
Volume: 1 name string; 2 VolumeSource
VolumeDevice: 1 name string; 2 devicePath string
VolumeHealthCondition: 1 status v1.VolumeHealthStatusType; 2 reason string; 3 message string?
VolumeMount: 1 name string; 2 readOnly bool?; 7 recursiveReadOnly *v1.RecursiveReadOnlyMode?;
    3 mountPath string; 4 subPath string?; 5 mountPropagation *v1.MountPropagationMode?;
    6 subPathExpr string?; 8 bindMountOptions []string?
VolumeMountStatus: 1 name string; 2 mountPath string; 3 readOnly bool?;
    4 recursiveReadOnly *v1.RecursiveReadOnlyMode?; 5 volumeStatus *VolumeStatus?
VolumeProjection: 1 secret *SecretProjection?; 2 downwardAPI *DownwardAPIProjection?;
    3 configMap *ConfigMapProjection?; 4 serviceAccountToken *ServiceAccountTokenProjection?;
    5 clusterTrustBundle *ClusterTrustBundleProjection?; 6 podCertificate *PodCertificateProjection?
VolumeResourceRequirements: 1 limits map[string]Quantity?; 2 requests map[string]Quantity?
VolumeSource: 1 hostPath *HostPathVolumeSource?; 2 emptyDir *EmptyDirVolumeSource?;
    3 gcePersistentDisk *GCEPersistentDiskVolumeSource?;
    4 awsElasticBlockStore *AWSElasticBlockStoreVolumeSource?; 5 gitRepo *GitRepoVolumeSource?;
    6 secret *SecretVolumeSource?; 7 nfs *NFSVolumeSource?; 8 iscsi *ISCSIVolumeSource?;
    9 glusterfs *GlusterfsVolumeSource?;
    10 persistentVolumeClaim *PersistentVolumeClaimVolumeSource?; 11 rbd *RBDVolumeSource?;
    12 flexVolume *FlexVolumeSource?; 13 cinder *CinderVolumeSource?;
    14 cephfs *CephFSVolumeSource?; 15 flocker *FlockerVolumeSource?;
    16 downwardAPI *DownwardAPIVolumeSource?; 17 fc *FCVolumeSource?;
    18 azureFile *AzureFileVolumeSource?; 19 configMap *ConfigMapVolumeSource?;
    20 vsphereVolume *VsphereVirtualDiskVolumeSource?; 21 quobyte *QuobyteVolumeSource?;
    22 azureDisk *AzureDiskVolumeSource?;
    23 photonPersistentDisk *PhotonPersistentDiskVolumeSource?;
    26 projected *ProjectedVolumeSource?; 24 portworxVolume *PortworxVolumeSource?;
    25 scaleIO *ScaleIOVolumeSource?; 27 storageos *StorageOSVolumeSource?;
    28 csi *CSIVolumeSource?; 29 ephemeral *EphemeralVolumeSource?; 30 image *ImageVolumeSource?
VolumeStatus: 1 image *ImageVolumeStatus?
VsphereVirtualDiskVolumeSource: 1 volumePath string; 2 fsType string?; 3 storagePolicyName string?;
    4 storagePolicyID string?
WeightedPodAffinityTerm: 1 weight int32; 2 podAffinityTerm PodAffinityTerm
WindowsSecurityContextOptions: 1 gmsaCredentialSpecName *string?; 2 gmsaCredentialSpec *string?;
    3 runAsUserName *string?; 4 hostProcess *bool?
)";
}

}  // namespace nlc::sim
